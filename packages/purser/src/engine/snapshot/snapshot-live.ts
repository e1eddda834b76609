import { namespaces } from "@purser/kubernetes/apis/resources";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  clusterUpdatePolicies,
  installPlans,
  operatorGroups,
  subscriptions,
  updatePolicies,
} from "../../apis/olm-resources.ts";
import { copiedFromLabel } from "../../apis/v0/labels.ts";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { ReadableCatalog } from "../../catalog/content.ts";
import type { Policies } from "../../policy/effective-policy.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { isRefused } from "@purser/kubernetes/kube/refusal";
import type { DecisionWorld } from "./snapshot-world.ts";

/** The newest index of a catalog that this process can read. */
export interface HeldIndexes {
  ofSource(source: CatalogSource): CatalogIndex | undefined;
  ofCatalog(catalog: ClusterCatalog): CatalogIndex | undefined;
}

/** What catalogs hold, as far as this process or machine has their indexes. */
export const keptContents = (kept: HeldIndexes): Pick<DecisionWorld, "contentOfSource" | "contentOfCatalog"> => ({
  contentOfSource: (source) => keptContent(kept.ofSource(source), source.status?.message),
  contentOfCatalog: (catalog) => keptContent(kept.ofCatalog(catalog)),
});

export function keptContent(
  index: CatalogIndex | undefined,
  cause = "its content is not kept on this machine",
): ReadableCatalog {
  return index === undefined ? { kind: "unavailable", cause } : { kind: "present", index };
}

/** The Namespace of that name; assumed to exist when the user may not read Namespaces. */
async function namespaceNamed(reader: ObjectReader, name: string): Promise<readonly KubeObject[]> {
  try {
    const found = await reader.get(namespaces, { name });
    return found === undefined ? [] : [found];
  } catch (error) {
    if (!isRefused(error, "forbidden")) throw error;
    return [{ apiVersion: "v1", kind: "Namespace", metadata: { name } }];
  }
}

/**
 * The policies of the cluster and of a namespace (undefined: of all). Empty where the user may not list them or the cluster does not
 * have the kind: a decision without policies is better than none.
 */
export async function readPolicies(reader: ObjectReader, namespace?: string): Promise<Policies> {
  const [own, everywhere] = await Promise.all([
    readable(reader.list(updatePolicies, namespace === undefined ? {} : { namespace })),
    readable(reader.list(clusterUpdatePolicies)),
  ]);
  return { updatePolicies: own, clusterUpdatePolicies: everywhere };
}

async function readable<Type>(listed: Promise<readonly Type[]>): Promise<readonly Type[]> {
  try {
    return await listed;
  } catch (error) {
    if (isRefused(error, "forbidden") || isRefused(error, "notFound")) return [];
    throw error;
  }
}

/**
 * The current objects of a cluster that decisions read, with the catalog indexes that this process holds.
 * @param namespace the namespace of the decision: its Namespace object is read too
 */
export async function worldOfCluster(
  reader: ObjectReader,
  kept: HeldIndexes,
  globalNamespace: string,
  namespace: string | undefined,
): Promise<DecisionWorld> {
  const [named, subs, csvs, groups, plans, sources, catalogs, extensions, policies] = await Promise.all([
    namespace === undefined ? [] : namespaceNamed(reader, namespace),
    reader.list(subscriptions),
    reader.list(clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` }),
    reader.list(operatorGroups),
    reader.list(installPlans),
    reader.list(catalogSources),
    reader.list(clusterCatalogs),
    reader.list(clusterExtensions),
    readPolicies(reader),
  ]);
  return {
    snapshot: {
      namespaces: named,
      subscriptions: subs,
      clusterServiceVersions: csvs,
      operatorGroups: groups,
      installPlans: plans,
      customResourceDefinitions: [],
      catalogSources: sources,
      clusterCatalogs: catalogs,
      clusterExtensions: extensions,
      ...policies,
    },
    ...keptContents(kept),
    globalNamespace,
  };
}
