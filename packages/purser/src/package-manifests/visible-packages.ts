import { compareBytes } from "@purser/kubernetes/text/documents";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";

/** A CatalogSource with the names of its packages. */
export interface ListedCatalog {
  readonly source: CatalogSource;
  readonly packages: readonly string[];
}

/** A package of a catalog. */
export interface PackagePlace<Catalog extends ListedCatalog> {
  readonly name: string;
  readonly catalog: Catalog;
}

/** Whether a namespace sees the packages of a CatalogSource: its own, and those of the global namespace. */
export function isVisible({ metadata }: CatalogSource, namespace: string | undefined, global: string): boolean {
  return namespace === undefined || metadata.namespace === namespace || metadata.namespace === global;
}

/**
 * All packages of the catalogs by name. The same package of several catalogs comes in the order in which a read of one
 * name prefers them: the catalog of `namespace`, then the highest priority, then the first by name.
 */
export function orderedPackages<Catalog extends ListedCatalog>(
  catalogs: readonly Catalog[],
  namespace: string | undefined,
): readonly PackagePlace<Catalog>[] {
  const preferred = catalogs.toSorted(
    ({ source: a }, { source: b }) =>
      Number(b.metadata.namespace === namespace) - Number(a.metadata.namespace === namespace) ||
      (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
      compareBytes(a.metadata.name ?? "", b.metadata.name ?? "") ||
      compareBytes(a.metadata.namespace ?? "", b.metadata.namespace ?? ""),
  );
  return preferred
    .flatMap((catalog) => catalog.packages.map((name) => ({ name, catalog })))
    .toSorted((a, b) => compareBytes(a.name, b.name));
}
