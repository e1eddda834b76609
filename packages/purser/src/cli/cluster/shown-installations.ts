import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  installPlans,
  subscriptions,
} from "../../apis/olm-resources.ts";
import { copiedFromLabel } from "../../apis/v0/labels.ts";
import { globalNamespace } from "../../apis/own-namespaces.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { emptySnapshot } from "../../engine/snapshot/snapshot-file.ts";
import { keptContents } from "../../engine/snapshot/snapshot-live.ts";
import { packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import { type Installation, type InstallationObjects, installationsOf } from "../../installation/installation.ts";
import { type ShownInstallation, shownInstallation } from "../../installation/shown-state.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { ListScope } from "@purser/kubernetes/kube/object-reader";
import { isRefused } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { levelTarget } from "../review/level-target.ts";
import type { Terminal } from "../output/terminal.ts";

/**
 * The installations of a namespace (undefined: of all) with the states that lists show. Without the right to read
 * ClusterServiceVersions those of OLM v0 are `Unknown`; catalogs that cannot be read offer no update.
 */
export async function readShownInstallations(
  client: KubeClient,
  namespace: string | undefined,
  env: Terminal["env"],
): Promise<readonly ShownInstallation[]> {
  const scope = namespace === undefined ? {} : { namespace };
  const own = { ...scope, labelSelector: `!${copiedFromLabel}` };
  const [subs, csvs, plans, extensions, sources, catalogs] = await Promise.all([
    client.list(subscriptions, scope),
    permitted(client, clusterServiceVersions, own),
    permitted(client, installPlans, scope),
    client.list(clusterExtensions),
    permitted(client, catalogSources, {}),
    permitted(client, clusterCatalogs, {}),
  ]);
  const objects = { subscriptions: subs, csvs: csvs ?? [], installPlans: plans ?? [], extensions };
  const world = worldOf(objects, { catalogSources: sources ?? [], clusterCatalogs: catalogs ?? [] }, env);
  const now = systemClock.now();
  return installationsOf(objects).map((one) =>
    shownInstallation(one, {
      now,
      unreadable: csvs === undefined && one.api === "v0" ? "you may not list ClusterServiceVersions" : undefined,
      newer: one.state === "Ready" ? newerVersion(world, one) : undefined,
    }),
  );
}

/** Undefined when the user may not list them, or the cluster does not have the kind. */
async function permitted<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  scope: ListScope,
): Promise<readonly Type[] | undefined> {
  try {
    return await client.list(type, scope);
  } catch (error) {
    if (isRefused(error, "forbidden")) return undefined;
    throw error;
  }
}

function worldOf(
  { subscriptions: subs, extensions }: InstallationObjects,
  catalogs: Pick<DecisionWorld["snapshot"], "catalogSources" | "clusterCatalogs">,
  env: Terminal["env"],
): DecisionWorld {
  return {
    snapshot: { ...emptySnapshot, ...catalogs, subscriptions: subs, clusterExtensions: extensions },
    ...keptContents(new KeptCatalogs(defaultCacheDirectory(env))),
    globalNamespace,
  };
}

/** The version at the end of its upgrades, whatever version its spec asks for. */
function newerVersion(world: DecisionWorld, one: Installation): string | undefined {
  const { subscriptions: subs, clusterExtensions: extensions } = world.snapshot;
  const channel =
    one.api === "v0"
      ? subs.find(({ metadata }) => metadata.name === one.name && metadata.namespace === one.namespace)?.spec.channel
      : extensions.find(({ metadata }) => metadata.name === one.name)?.spec?.source.catalog?.channels?.[0];
  return levelTarget(packagesOfInstallation(world, one), one, channel, "major");
}
