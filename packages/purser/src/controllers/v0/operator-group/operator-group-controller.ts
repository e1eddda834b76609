import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterRoles, namespaces, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups } from "../../../apis/olm-resources.ts";
import {
  copiedFromLabel,
  managedLabel,
  ownerKindLabel,
  ownerLabel,
  ownerNamespaceLabel,
} from "../../../apis/v0/labels.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ClusterRole } from "@purser/kubernetes/apis/rbac";
import type { Controller, ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { keyOf } from "@purser/kubernetes/apis/object";
import type { Surroundings } from "../../surroundings.ts";
import { beyondStatus } from "../../beyond-status.ts";
import { watching } from "../../watching.ts";
import type { OperatorGroupAction, OperatorGroupWorld } from "./plan/plan-operator-group.ts";
import { groupState, planOperatorGroup } from "./plan/plan-operator-group.ts";

const siblingsOf = (object: KubeObject, cache: CacheView): readonly ObjectKey[] =>
  cache.byIndex(operatorGroups, "namespace", object.metadata.namespace ?? "").map(keyOf);

/** Resolves what every OperatorGroup targets and keeps its members, roles and provided APIs in step; the only writer of their status. */
export function operatorGroupController({ compat }: Pick<Surroundings, "compat">): Controller {
  return defineController<Observed, Step, KubeObject[]>({
    name: "operator-group",
    watches: [
      watching<OperatorGroup>({
        type: operatorGroups,
        indexes: {
          namespace: (group) => [group.metadata.namespace ?? ""],
          selecting: (group) => (group.spec?.selector === undefined ? [] : ["true"]),
        },
        map: (group, cache) => [keyOf(group), ...siblingsOf(group, cache)],
      }),
      watching<ClusterServiceVersion>({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        when: beyondStatus(groupState),
        map: siblingsOf,
      }),
      watching({ type: namespaces, map: (_, cache) => cache.byIndex(operatorGroups, "selecting", "true").map(keyOf) }),
      watching({ type: serviceAccounts, scope: { labelSelector: `${managedLabel}=true` }, map: siblingsOf }),
      watching<ClusterRole>({
        type: clusterRoles,
        scope: { labelSelector: `${managedLabel}=true` },
        indexedLabels: [ownerLabel, ownerNamespaceLabel],
        map: (role) => {
          const {
            [ownerLabel]: name,
            [ownerNamespaceLabel]: namespace,
            [ownerKindLabel]: kind,
          } = role.metadata.labels ?? {};
          return kind === "OperatorGroup" && name !== undefined && namespace !== undefined ? [{ namespace, name }] : [];
        },
      }),
    ],
    steps: {
      observe,
      plan: (observed, { now }) => {
        if (observed.kind === "present") return planOperatorGroup(observed.world, now, compat);
        return {
          actions: observed.leftovers.map((name) => ({
            kind: "write",
            write: { verb: "delete", type: clusterRoles, key: { name } },
          })),
        };
      },
      apply: async (_key, action, { writer, signal }) => {
        writtenUnlessDeleted(await writer.write(action.write, signal));
      },
    },
  });
}

type Step = OperatorGroupAction;
type Observed =
  | { readonly kind: "present"; readonly world: OperatorGroupWorld }
  /** The group does not exist; its cluster roles have no owner reference and are deleted. */
  | { readonly kind: "deleted"; readonly leftovers: readonly string[] };

async function observe(key: ObjectKey, { reader }: ObserveContext): Promise<Observed> {
  const namespace = key.namespace ?? "";
  const labelSelector = [
    `${ownerLabel}=${key.name}`,
    `${ownerNamespaceLabel}=${namespace}`,
    `${ownerKindLabel}=OperatorGroup`,
    `${managedLabel}=true`,
  ].join(",");
  const [group, groups, held] = await Promise.all([
    reader.get(operatorGroups, key),
    reader.list(operatorGroups, { namespace }),
    reader.list(clusterRoles, { labelSelector }),
  ]);
  if (group === undefined) return { kind: "deleted", leftovers: held.map((role) => role.metadata.name ?? "") };
  const account = group.spec?.serviceAccountName ?? "";
  const world: OperatorGroupWorld = {
    group,
    groupsInNamespace: groups.length,
    namespaces: group.spec?.selector === undefined ? [] : await reader.list(namespaces),
    csvs: await reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    serviceAccount: account === "" ? undefined : await reader.get(serviceAccounts, { namespace, name: account }),
    clusterRoles: new Map(held.map((role) => [role.metadata.name ?? "", role])),
  };
  return { kind: "present", world };
}
