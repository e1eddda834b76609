import type { Event, Namespace } from "@purser/kubernetes/apis/core";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { events, namespaces } from "@purser/kubernetes/apis/resources";
import type { Controller, ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { clusterServiceVersions, olmConfigs, operatorGroups } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Surroundings } from "../../surroundings.ts";
import { beyondStatus } from "../../beyond-status.ts";
import { watching } from "../../watching.ts";
import { copiesWatch, groupIndexes, originalsWatch } from "../copied-csv/copied-csv-controller.ts";
import { allowsCopies, copiesEverywhere, copyTargets } from "../copied-csv/plan/copying.ts";
import { isEveryNamespace } from "../operator-group/plan/namespace-set.ts";
import type { GlobalCsv, OlmConfigAction, OlmConfigWorld } from "./plan/plan-olm-config.ts";
import { noticeReason, planOlmConfig } from "./plan/plan-olm-config.ts";

type Choices = Pick<Surroundings, "compat" | "protectedNamespaces">;

const cluster: ObjectKey = { name: "cluster" };
const always = (): readonly ObjectKey[] => [cluster];

/** Shows whether copies of CSVs are as OLMConfig `cluster` asks for; the only writer of its status. */
export function olmConfigController(choices: Choices): Controller {
  return defineController<OlmConfigWorld, OlmConfigAction, KubeObject[]>({
    name: "olm-config",
    watches: [
      watching({ type: olmConfigs, map: ({ metadata }) => (metadata.name === cluster.name ? [cluster] : []) }),
      watching<ClusterServiceVersion>({
        ...originalsWatch,
        when: beyondStatus((csv) => [allowsCopies(csv)]),
        map: always,
      }),
      watching({ ...copiesWatch, map: always }),
      watching<OperatorGroup>({ type: operatorGroups, indexes: groupIndexes, map: always }),
      watching<Namespace>({
        type: namespaces,
        indexes: { active: ({ status }) => (status?.phase === "Active" ? ["true"] : []) },
        map: always,
      }),
      // An event that expired is recorded again in the next pass; that alone is no reason for one.
      watching<Event>({
        type: events,
        scope: { fieldSelector: `reason=${noticeReason}` },
        indexes: { noticeOf: ({ involvedObject }) => [involvedObject.uid ?? ""] },
        quiet: true,
      }),
    ],
    steps: {
      observe: async (_key, context) => observe(context, choices),
      plan: (world, { now }) => planOlmConfig(world, now),
      apply: async (_key, action, { writer, events: recorder, signal }) => {
        if (action.kind === "notice") {
          recorder.record(action.csv, "Warning", action.reason, action.message);
          return;
        }
        writtenUnlessDeleted(await writer.write(action.write, signal));
      },
    },
  });
}

/** Never a request: everything is in the caches, and copies are counted, not read. */
function observe({ cache }: ObserveContext, { compat, protectedNamespaces = new Set() }: Choices): OlmConfigWorld {
  const config = cache.cached(olmConfigs, cluster);
  const copies = copiesEverywhere(config, compat);
  const active = cache.indexSize(namespaces, "active", "true");
  const keeping = [...protectedNamespaces].filter(
    (name) => cache.cached(namespaces, { name })?.status?.phase === "Active",
  );
  const csvs = cache.byIndex(operatorGroups, "global", "true").flatMap((group) =>
    cache
      .byIndex(clusterServiceVersions, "namespace", group.metadata.namespace ?? "")
      .filter((csv) => isEveryNamespace(copyTargets({ csv, group }) ?? []))
      .map((csv): GlobalCsv => {
        const name = csv.metadata.name ?? "";
        return {
          csv,
          copies: cache.indexSize(clusterServiceVersions, "copiesOf", name),
          places: copies
            ? active - cache.indexSize(clusterServiceVersions, "name", name)
            : keeping.filter((namespace) => !isOwn(cache, { namespace, name })).length,
          notices: cache.byIndex(events, "noticeOf", csv.metadata.uid ?? ""),
        };
      }),
  );
  return { config, copies, csvs };
}

/** Whether the key is that of a CSV that is no copy. */
function isOwn(cache: CacheView, key: ObjectKey): boolean {
  const held = cache.cached(clusterServiceVersions, key);
  return held !== undefined && held.metadata.labels?.[copiedFromLabel] === undefined;
}
