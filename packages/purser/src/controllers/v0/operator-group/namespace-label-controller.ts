import { type KubeObject, keyOf } from "@purser/kubernetes/apis/object";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { operatorGroups } from "../../../apis/olm-resources.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { namedTargets } from "./named-targets.ts";
import type { NamespaceLabelAction, NamespaceLabelWorld } from "./plan/plan-namespace-labels.ts";
import { planNamespaceLabels } from "./plan/plan-namespace-labels.ts";

/** Labels every namespace with the groups that target it, for the webhooks of their operators. */
export function namespaceLabelController({
  watchedNamespaces,
}: Pick<Surroundings, "watchedNamespaces"> = {}): Controller {
  return defineController<NamespaceLabelWorld, NamespaceLabelAction, KubeObject[]>({
    name: "namespace-labels",
    watches: [
      watching({ type: namespaces, map: (namespace) => [keyOf(namespace)] }),
      // Its old content names the targets that a group no longer has, and those of a group that was deleted.
      watching<OperatorGroup>({
        type: operatorGroups,
        indexes: { target: namedTargets },
        map: (group) => namedTargets(group).map((name) => ({ name })),
      }),
    ],
    steps: {
      observe: async (key, { reader, cache }) => ({
        namespace: await reader.get(namespaces, key),
        groups: cache
          .byIndex(operatorGroups, "target", key.name)
          .filter(({ metadata }) => watchedNamespaces?.has(metadata.namespace ?? "") !== false),
      }),
      plan: (world) => planNamespaceLabels(world),
      apply: async (_key, action, { writer, signal }) => {
        writtenUnlessDeleted(await writer.write(action.write, signal));
      },
    },
  });
}
