import { join } from "node:path";
import type { CatalogIndex } from "../catalog/catalog-index.ts";
import { indexFileName } from "../catalog-store/format.ts";
import { openIndex } from "../catalog-store/open.ts";
import { indexFolder } from "../content/folder-content.ts";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  operatorGroups,
  subscriptions,
} from "../apis/resources.ts";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import { copiedFromLabel } from "../apis/v0/labels.ts";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import { ownerNameLabel } from "../apis/v1/labels.ts";
import { bundleOf, revisionStates } from "../controllers/v1/cluster-extension/plan/revision-state.ts";
import { isDigest } from "../digest.ts";
import type { ObjectReader } from "../kube/object-reader.ts";
import { resolveNow } from "../resolver/resolution.ts";
import type { NamespaceOutcome } from "../resolver/v0/outcome.ts";
import { resolveNamespace } from "../resolver/v0/resolve-namespace.ts";
import type { ExtensionOutcome } from "../resolver/v1/outcome.ts";
import { resolveExtension } from "../resolver/v1/resolve-extension.ts";
import { globalNamespace } from "./own-namespaces.ts";

/** Catalog contents as this machine keeps them, found by the digests that the cluster shows in status. */
export class KeptCatalogs {
  readonly #folder: string;
  readonly #open = new Map<string, CatalogIndex | undefined>();

  constructor(cacheFolder: string) {
    this.#folder = indexFolder(cacheFolder);
  }

  /** Undefined when the text names no digest or the index is not on this machine. */
  at(reference: string | undefined): CatalogIndex | undefined {
    const digest = reference?.split("@")[1] ?? "";
    if (!isDigest(digest)) return undefined;
    if (!this.#open.has(digest)) {
      const opened = openIndex(join(this.#folder, indexFileName(digest)));
      this.#open.set(digest, opened.ok ? opened.value : undefined);
    }
    return this.#open.get(digest);
  }

  ofSource(source: CatalogSource): CatalogIndex | undefined {
    return this.at(source.status?.connectionState?.address);
  }

  ofCatalog(catalog: ClusterCatalog): CatalogIndex | undefined {
    return this.at(catalog.status?.resolvedSource?.image?.ref);
  }
}

const notHere = { kind: "unavailable", cause: "its content is not kept on this machine" } as const;

/** Decides a namespace again from what the reader shows, exactly as the controllers do. */
export async function explainNamespace(
  namespace: string,
  reader: ObjectReader,
  kept: KeptCatalogs,
): Promise<NamespaceOutcome> {
  const scopes = [...new Set([namespace, globalNamespace])];
  const [subs, csvs, groups, ...sources] = await Promise.all([
    reader.list(subscriptions, { namespace }),
    reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    reader.list(operatorGroups, { namespace }),
    ...scopes.map((scope) => reader.list(catalogSources, { namespace: scope })),
  ]);
  return resolveNow(
    resolveNamespace({
      namespace,
      globalNamespace,
      subscriptions: subs,
      clusterServiceVersions: csvs,
      operatorGroups: groups,
      catalogs: sources.flat().map((source) => {
        const index = kept.ofSource(source);
        const { namespace: where = "", name = "" } = source.metadata;
        return {
          key: { namespace: where, name },
          priority: source.spec.priority ?? 0,
          content:
            index === undefined
              ? { ...notHere, cause: source.status?.message ?? notHere.cause }
              : { kind: "present", index },
        };
      }),
    }),
  );
}

/** Decides an extension again; undefined when there is none of that name. */
export async function explainExtension(
  name: string,
  reader: ObjectReader,
  kept: KeptCatalogs,
): Promise<ExtensionOutcome | undefined> {
  const extension = await reader.get(clusterExtensions, { name });
  const filter = extension?.spec?.source.catalog;
  if (filter === undefined) return undefined;
  const [catalogs, revisions] = await Promise.all([
    reader.list(clusterCatalogs),
    reader.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${name}` }),
  ]);
  const { installed } = revisionStates(revisions);
  const bundle = installed === undefined ? undefined : bundleOf(installed);
  return resolveNow(
    resolveExtension({
      name,
      filter,
      ...(bundle === undefined
        ? {}
        : {
            installed: {
              name: bundle.name,
              version: bundle.version,
              ...(bundle.release === undefined ? {} : { release: bundle.release }),
            },
          }),
      catalogs: catalogs.map((catalog) => {
        const index = kept.ofCatalog(catalog);
        return { catalog, content: index === undefined ? notHere : { kind: "present", index } };
      }),
    }),
  );
}
