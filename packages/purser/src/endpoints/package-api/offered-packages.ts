import { catalogSources } from "../../apis/olm-resources.ts";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import type { Content } from "../../content/content.ts";
import { catalogRequest } from "../../controllers/v0/catalog-source/plan/catalog-request.ts";
import type { OfferedPackage } from "../../package-manifests/package-manifest.ts";
import { isVisible, type ListedCatalog, orderedPackages } from "../../package-manifests/visible-packages.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";

export interface OfferingOptions {
  readonly reader: Pick<ObjectReader, "list">;
  readonly content: Content;
  readonly clock: Clock;
  readonly globalNamespace: string;
}

/** What a read sees. */
export interface Offering {
  /** By name; packages of the same name in the order of preference. */
  readonly packages: readonly { readonly name: string; readonly offered: () => OfferedPackage | undefined }[];
  /** CatalogSources without content as `namespace/name`: their packages are missing. */
  readonly missing: readonly string[];
}

interface ReadableCatalog extends ListedCatalog {
  readonly index: StoredIndex;
}

/** A read waits this long for catalogs that are being read for the first time. */
const patienceMs = 5000;
const lookEveryMs = 50;

/**
 * The packages that a namespace sees, or all namespaces do. Waits a few seconds for catalogs that are being read for the
 * first time, so that no list is empty only because the process has just started.
 * @param only packages of this name alone
 */
export async function offeredPackages(
  options: OfferingOptions,
  namespace: string | undefined,
  only: string | undefined,
  signal: AbortSignal,
): Promise<Offering> {
  const { reader, content, clock, globalNamespace } = options;
  const scopes = namespace === undefined ? [undefined] : [...new Set([namespace, globalNamespace])];
  const listed = await Promise.all(
    scopes.map((scope) => reader.list(catalogSources, scope === undefined ? {} : { namespace: scope })),
  );
  const sources = listed.flat().filter((source) => isVisible(source, namespace, globalNamespace));
  const deadline = clock.now() + patienceMs;
  while (sources.some((source) => isFirstRead(source, content)) && clock.now() < deadline)
    await clock.sleep(lookEveryMs, signal);
  const catalogs: ReadableCatalog[] = [];
  const missing: string[] = [];
  for (const source of sources) {
    const index = contentOf(source, content)?.index;
    if (index === undefined) missing.push(`${source.metadata.namespace ?? ""}/${source.metadata.name ?? ""}`);
    else catalogs.push({ source, index, packages: packagesIn(index, only) });
  }
  const packages = orderedPackages(catalogs, namespace).map(({ name, catalog }) => ({
    name,
    offered: () => offeredBy(catalog, name),
  }));
  return { packages, missing };
}

/** Whether every CatalogSource of the cluster has been read once, successfully or not. */
export async function isReady({ reader, content }: OfferingOptions): Promise<boolean> {
  return !(await reader.list(catalogSources)).some((source) => isFirstRead(source, content));
}

function packagesIn(index: StoredIndex, only: string | undefined): readonly string[] {
  if (only === undefined) return index.packages();
  return index.package(only) === undefined ? [] : [only];
}

function offeredBy({ source, index }: ReadableCatalog, name: string): OfferedPackage | undefined {
  const summary = index.package(name);
  if (summary === undefined) return undefined;
  return { source, summary, headCsv: (channel) => index.csvJson(name, channel.name, channel.head ?? "") };
}

function isFirstRead(source: CatalogSource, content: Content): boolean {
  const found = contentOf(source, content);
  return found !== undefined && found.index === undefined && found.state.kind === "pending";
}

/** Undefined for a CatalogSource that names no content. */
function contentOf(source: CatalogSource, content: Content): ReturnType<Content["catalog"]> | undefined {
  const request = catalogRequest(source);
  return request.ok ? content.catalog(request.value) : undefined;
}
