import { compareBytes } from "@purser/kubernetes/text/members";
import type { Entry } from "./entry.ts";
import { CatalogSnapshot } from "./catalog-snapshot.ts";
import type { CatalogKey, NamespaceCatalog } from "./input.ts";

export const sameKey = (left: CatalogKey, right: CatalogKey): boolean =>
  left.name === right.name && left.namespace === right.namespace;

/** All places that bundles can come from in one resolution. */
export interface Scope {
  readonly namespace: string;
  /** Namespaces whose catalogs may be used: its own, and the global one unless that is excluded. */
  readonly namespaces: readonly string[];
  /** CSVs that exist in the namespace. */
  readonly installed: readonly Entry[];
  readonly catalogs: readonly CatalogSnapshot[];
}

/** Catalogs that can be read, those of the given namespaces only. */
export function snapshotsOf(
  catalogs: readonly NamespaceCatalog[],
  namespaces: readonly string[],
): readonly CatalogSnapshot[] {
  return catalogs.flatMap((catalog) =>
    catalog.content.kind === "present" && namespaces.includes(catalog.key.namespace)
      ? [new CatalogSnapshot(catalog, catalog.content.index)]
      : [],
  );
}

/**
 * Catalogs in the order in which a bundle prefers them: its own, then by priority, the target namespace before others, by name.
 * @param own catalog of the requiring bundle, if it comes from one
 */
export function preferredCatalogs(
  scope: Scope,
  own: CatalogKey | undefined,
  namespace: string,
): readonly CatalogSnapshot[] {
  const rank = (snapshot: CatalogSnapshot): number => (own !== undefined && sameKey(snapshot.origin.key, own) ? 0 : 1);
  const home = (snapshot: CatalogSnapshot): number => (snapshot.origin.key.namespace === namespace ? 0 : 1);
  return scope.catalogs.toSorted(
    (left, right) =>
      rank(left) - rank(right) ||
      right.origin.priority - left.origin.priority ||
      home(left) - home(right) ||
      compareBytes(left.origin.key.name, right.origin.key.name) ||
      compareBytes(left.origin.key.namespace, right.origin.key.namespace),
  );
}
