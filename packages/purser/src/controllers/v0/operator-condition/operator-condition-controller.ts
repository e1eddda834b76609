import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { roleBindings, roles } from "@purser/kubernetes/apis/resources";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { clusterServiceVersions, operatorConditions } from "../../../apis/olm-resources.ts";
import { copiedFromLabel, managedLabel, ownerLabel } from "../../../apis/v0/labels.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { isCopied } from "../cluster-service-version/plan/plan-csv.ts";
import { beyondStatus } from "../../beyond-status.ts";
import { watching } from "../../watching.ts";
import type { OperatorConditionAction, OperatorConditionWorld } from "./plan/plan-operator-condition.ts";
import { labellingComponents } from "../operator/labelling-components.ts";
import { planOperatorCondition } from "./plan/plan-operator-condition.ts";

/** OperatorConditions that an object names as owner. */
const ofCondition = ({ metadata: { namespace = "", ownerReferences = [] } }: KubeObject): readonly ObjectKey[] =>
  ownerReferences.filter(({ kind }) => kind === "OperatorCondition").map(({ name }) => ({ namespace, name }));

const managed = {
  scope: { labelSelector: `${managedLabel}=true` },
  indexedLabels: [ownerLabel],
  map: ofCondition,
} as const;

/** Keeps one OperatorCondition for every CSV, and lets its operator report in it; the only writer of their status. */
export function operatorConditionController(): Controller {
  return defineController<OperatorConditionWorld, OperatorConditionAction, KubeObject[]>({
    name: "operator-condition",
    watches: [
      watching<ClusterServiceVersion>({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        when: beyondStatus((csv) => [isCopied(csv)]),
        map: (csv) => [keyOf(csv)],
      }),
      watching({ type: operatorConditions, map: (condition) => [keyOf(condition)] }),
      watching({ type: roles, ...managed }),
      watching({ type: roleBindings, ...managed }),
    ],
    steps: {
      observe: async (key, { reader }) => {
        const [csv, condition] = await Promise.all([
          reader.get(clusterServiceVersions, key),
          reader.get(operatorConditions, key),
        ]);
        if (condition === undefined) return { csv, condition, role: undefined, roleBinding: undefined };
        const [role, roleBinding] = await Promise.all([reader.get(roles, key), reader.get(roleBindings, key)]);
        return { csv, condition, role, roleBinding };
      },
      plan: (world) => planOperatorCondition(world),
      apply: async (key, action, { writer, cache, signal }) => {
        const csv = cache.cached(clusterServiceVersions, key);
        const labelling = csv === undefined ? writer : labellingComponents(writer, csv);
        writtenUnlessDeleted(await labelling.write(action.write, signal));
      },
    },
  });
}
