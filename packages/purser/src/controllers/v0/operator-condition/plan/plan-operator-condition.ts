import type { Condition } from "@purser/kubernetes/apis/condition";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { OwnerReference } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import { roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { operatorConditions } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { managedLabel } from "../../../../apis/v0/labels.ts";
import type { OperatorCondition } from "../../../../apis/v0/operator-condition.ts";
import { replaceStatus } from "../../../plan/metadata-patch.ts";
import { isCopied } from "../../cluster-service-version/plan/plan-csv.ts";

/** The objects of one name in one namespace. */
export interface OperatorConditionWorld {
  readonly csv: ClusterServiceVersion | undefined;
  readonly condition: OperatorCondition | undefined;
  readonly role: Role | undefined;
  readonly roleBinding: RoleBinding | undefined;
}

export interface OperatorConditionAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

type Plans = readonly OperatorConditionAction[];
const writes = (...list: readonly ObjectWrite[]): Plans => list.map((write) => ({ kind: "write", write }));

/**
 * One pass: the OperatorCondition of a CSV, the Role and RoleBinding with which the operator edits it, and its status, which
 * repeats the spec's conditions with the generation in which they were seen.
 */
export function planOperatorCondition(world: OperatorConditionWorld): Plan<OperatorConditionAction> {
  const { csv, condition } = world;
  const generates = csv !== undefined && csv.metadata.deletionTimestamp === undefined && !isCopied(csv);
  if (condition === undefined)
    return { actions: generates ? writes({ verb: "create", type: operatorConditions, object: desired(csv) }) : [] };
  if (condition.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const repaired = generates ? repair(condition, desired(csv)) : [];
  // A change of the spec begins another generation, which the status has to name.
  if (repaired.length > 0) return { actions: repaired };
  return {
    actions: [...planRole(condition, world.role), ...planBinding(condition, world.roleBinding), ...mirror(condition)],
  };
}

/** As OLM: accounts of cluster permissions, then of permissions, with repetitions. */
function desired(csv: ClusterServiceVersion): OperatorCondition {
  const { name = "", namespace = "", uid = "" } = csv.metadata;
  const { clusterPermissions = [], permissions = [], deployments = [] } = csv.spec.install.spec ?? {};
  const accounts = [...clusterPermissions, ...permissions].map(({ serviceAccountName }) => serviceAccountName);
  return {
    apiVersion: "operators.coreos.com/v2",
    kind: "OperatorCondition",
    metadata: {
      name,
      namespace,
      ownerReferences: [
        {
          apiVersion: "operators.coreos.com/v1alpha1",
          kind: "ClusterServiceVersion",
          name,
          uid,
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      serviceAccounts: accounts.length === 0 ? ["default"] : accounts,
      deployments: deployments.map((deployment) => deployment.name),
    },
  };
}

const same = (one: unknown, other: unknown): boolean => deepEqual(plainJson(one ?? null), plainJson(other ?? null));

/** Restores what belongs to the manager; conditions and overrides are the operator's and the administrator's. */
function repair(live: OperatorCondition, { metadata, spec = {} }: OperatorCondition): Plans {
  const { serviceAccounts = [], deployments = [] } = spec;
  if (
    same(live.metadata.ownerReferences, metadata.ownerReferences) &&
    same(live.spec?.serviceAccounts ?? [], serviceAccounts) &&
    same(live.spec?.deployments ?? [], deployments)
  )
    return [];
  const { name = "", namespace = "", resourceVersion } = live.metadata;
  return writes({
    verb: "patch",
    type: operatorConditions,
    key: { namespace, name },
    patchType: "merge",
    patch: {
      metadata: {
        ownerReferences: plainJson(metadata.ownerReferences ?? []),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      spec: { serviceAccounts, deployments },
    },
  });
}

function ownedBy({ metadata: { name = "", uid = "" } }: OperatorCondition): OwnerReference {
  return {
    apiVersion: "operators.coreos.com/v2",
    kind: "OperatorCondition",
    name,
    uid,
    controller: true,
    blockOwnerDeletion: false,
  };
}

/** Owned by the condition, and labelled: informers show nothing else. */
const isOurs = ({ metadata }: Role | RoleBinding, { uid }: OwnerReference): boolean =>
  metadata.labels?.[managedLabel] === "true" && metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;

function planRole(condition: OperatorCondition, live: Role | undefined): Plans {
  const { name = "", namespace = "" } = condition.metadata;
  const owner = ownedBy(condition);
  const role: Role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name, namespace, labels: { [managedLabel]: "true" }, ownerReferences: [owner] },
    rules: [
      {
        apiGroups: ["operators.coreos.com"],
        resources: ["operatorconditions"],
        verbs: ["get", "update", "patch"],
        resourceNames: [name],
      },
    ],
  };
  if (live === undefined) return writes({ verb: "create", type: roles, object: role });
  if (isOurs(live, owner) && same(live.rules, role.rules)) return [];
  return writes({ verb: "replace", type: roles, object: { ...role, metadata: takenOver(role, live) } });
}

function planBinding(condition: OperatorCondition, live: RoleBinding | undefined): Plans {
  const { name = "", namespace = "" } = condition.metadata;
  const owner = ownedBy(condition);
  const binding: RoleBinding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name, namespace, labels: { [managedLabel]: "true" }, ownerReferences: [owner] },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    // Without a namespace an account is one of the binding's namespace.
    subjects: (condition.spec?.serviceAccounts ?? []).map((account) => ({ kind: "ServiceAccount", name: account })),
  };
  if (live === undefined) return writes({ verb: "create", type: roleBindings, object: binding });
  // A roleRef is immutable: the deletion brings the pass that creates the binding anew.
  if (!same(live.roleRef, binding.roleRef))
    return writes({ verb: "delete", type: roleBindings, key: { namespace, name } });
  if (isOurs(live, owner) && same(live.subjects ?? [], binding.subjects)) return [];
  return writes({ verb: "replace", type: roleBindings, object: { ...binding, metadata: takenOver(binding, live) } });
}

/** The metadata of an object that exists under the wanted name: its labels and annotations stay. */
function takenOver(wanted: Role | RoleBinding, { metadata }: Role | RoleBinding): Role["metadata"] {
  return {
    ...metadata,
    labels: { ...metadata.labels, ...wanted.metadata.labels },
    ownerReferences: wanted.metadata.ownerReferences ?? [],
  };
}

/**
 * Copies conditions of the spec whose type is missing in the status, or whose status or generation differs there. Conditions
 * that the spec does not have stay: a writer of `v1` reports in the status.
 */
function mirror(condition: OperatorCondition): Plans {
  const { generation } = condition.metadata;
  const held = condition.status?.conditions ?? [];
  const observed = (condition.spec?.conditions ?? []).flatMap((reported): readonly Condition[] => {
    const seen = findCondition(held, reported.type);
    if (seen?.status === reported.status && seen.observedGeneration === generation) return [];
    return [{ ...reported, ...(generation === undefined ? {} : { observedGeneration: generation }) }];
  });
  if (observed.length === 0) return [];
  const kept = held.filter(({ type }) => findCondition(observed, type) === undefined);
  return writes(replaceStatus(operatorConditions, condition, { conditions: [...kept, ...observed] }));
}
