import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { clusterServiceVersions, operators } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { ComponentCondition, ComponentReference, Operator } from "../../../../apis/v0/operator.ts";
import { replaceStatus } from "../../../plan/metadata-patch.ts";
import { componentLabel } from "./component-label.ts";

export interface Component {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export interface OperatorWorld {
  readonly name: string;
  readonly operator: Operator | undefined;
  /** Objects with its component label. */
  readonly components: readonly Component[];
}

export interface OperatorAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

/** Lists in an Operator what carries its label. While anything does, the Operator is created again when it is deleted. */
export function planOperator({ name, operator, components }: OperatorWorld): Plan<OperatorAction> {
  if (operator === undefined) {
    if (components.length === 0) return { actions: [] };
    const object = { apiVersion: apiVersionOf(operators), kind: operators.kind, metadata: { name } };
    return { actions: [{ kind: "write", write: { verb: "create", type: operators, object } }] };
  }
  const refs = components.map(referenceTo).toSorted(inOrder);
  const labelSelector = { matchExpressions: [{ key: componentLabel(name), operator: "Exists" as const }] };
  const status = { components: { labelSelector, ...(refs.length === 0 ? {} : { refs }) } };
  if (operator.metadata.deletionTimestamp !== undefined) return { actions: [] };
  if (deepEqual(plainJson(operator.status ?? null), plainJson(status))) return { actions: [] };
  return { actions: [{ kind: "write", write: replaceStatus(operators, operator, status) }] };
}

function referenceTo({ type, object }: Component): ComponentReference {
  const { namespace, name = "" } = object.metadata;
  const conditions = conditionsOf(type, object);
  return {
    kind: type.kind,
    apiVersion: apiVersionOf(type),
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** Conditions as the object has them; a CSV has its phase as its only one. */
function conditionsOf(type: ResourceType, object: KubeObject): readonly ComponentCondition[] {
  if (type === clusterServiceVersions) {
    const {
      phase = "",
      reason,
      message,
      lastUpdateTime,
      lastTransitionTime,
    } = (object as ClusterServiceVersion).status ?? {};
    return phase === ""
      ? []
      : [picked({ type: phase, status: "True", reason, message, lastUpdateTime, lastTransitionTime })];
  }
  const held = (object.status as { readonly conditions?: readonly Partial<ComponentCondition>[] } | undefined)
    ?.conditions;
  return (Array.isArray(held) ? (held as readonly Partial<ComponentCondition>[]) : []).map(picked);
}

type Optional = { readonly [Key in keyof ComponentCondition]?: ComponentCondition[Key] | undefined };

/** Only the fields that a reference has; fields without a value are left out. */
function picked({
  type = "",
  status = "",
  reason,
  message,
  lastUpdateTime,
  lastTransitionTime,
}: Optional): ComponentCondition {
  return {
    type,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(lastUpdateTime === undefined ? {} : { lastUpdateTime }),
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
  };
}

/** By kind, apiVersion, namespace and name. */
function inOrder(one: ComponentReference, other: ComponentReference): number {
  for (const key of ["kind", "apiVersion", "namespace", "name"] as const) {
    const [left = "", right = ""] = [one[key], other[key]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
