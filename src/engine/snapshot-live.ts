import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../apis/resources.ts";
import { copiedFromLabel } from "../apis/v0/labels.ts";
import type { ObjectReader } from "../kube/object-reader.ts";
import type { KeptCatalogs } from "./kept-catalogs.ts";
import type { DecisionWorld } from "./snapshot-world.ts";

const notHere = "its content is not kept on this machine";

/** What decisions read of a cluster as it is now, with the catalog contents that this machine keeps. */
export async function worldOfCluster(
  reader: ObjectReader,
  kept: KeptCatalogs,
  globalNamespace: string,
): Promise<DecisionWorld> {
  const [subs, csvs, groups, plans, sources, catalogs, extensions] = await Promise.all([
    reader.list(subscriptions),
    reader.list(clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` }),
    reader.list(operatorGroups),
    reader.list(installPlans),
    reader.list(catalogSources),
    reader.list(clusterCatalogs),
    reader.list(clusterExtensions),
  ]);
  return {
    snapshot: {
      namespaces: [],
      subscriptions: subs,
      clusterServiceVersions: csvs,
      operatorGroups: groups,
      installPlans: plans,
      customResourceDefinitions: [],
      catalogSources: sources,
      clusterCatalogs: catalogs,
      clusterExtensions: extensions,
    },
    contents: {
      ofSource: (source) => kept.ofSource(source) ?? source.status?.message ?? notHere,
      ofCatalog: (catalog) => kept.ofCatalog(catalog) ?? notHere,
    },
    globalNamespace,
  };
}
