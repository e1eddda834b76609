import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { hasMember, objectAt, objectIn, objectsIn, textIn, textsIn } from "../../kinds/decoding/json-parts.ts";

function holds(requirement: JsonObject, value: string | undefined): boolean {
  const values = textsIn(requirement, "values");
  switch (textIn(requirement, "operator")) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** The terms of the required node affinity; undefined when the pod has none. */
export function requiredTerms(pod: JsonObject): readonly JsonObject[] | undefined {
  const affinity = objectAt(pod, "affinity", "nodeAffinity");
  const key = "requiredDuringSchedulingIgnoredDuringExecution";
  return hasMember(affinity, key) ? objectsIn(objectIn(affinity, key), "nodeSelectorTerms") : undefined;
}

/** Whether the pod's `nodeSelector` and required node affinity match the node. */
export function fitsAffinity(pod: JsonObject, node: KubeObject): boolean {
  const labels = (node.metadata.labels ?? {}) as JsonObject;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const selected = Object.entries(objectIn(pod, "nodeSelector")).every(([key, value]) => textIn(labels, key) === value);
  const terms = requiredTerms(pod);
  if (!selected || terms === undefined) return selected;
  return terms.some((term) => {
    const expressions = objectsIn(term, "matchExpressions");
    const fields = objectsIn(term, "matchFields");
    if (expressions.length + fields.length === 0) return false;
    return (
      expressions.every((expression) => {
        const key = textIn(expression, "key");
        return holds(expression, Object.hasOwn(labels, key) ? text(labels[key]) : undefined);
      }) && fields.every((field) => textIn(field, "key") === "metadata.name" && holds(field, node.metadata.name))
    );
  });
}

/** The node that the pod's affinity selects by name, as for pods of DaemonSets; undefined otherwise. */
export function namedNode(pod: JsonObject): string | undefined {
  for (const term of requiredTerms(pod) ?? [])
    for (const field of objectsIn(term, "matchFields")) {
      const values = textsIn(field, "values");
      if (textIn(field, "key") === "metadata.name" && textIn(field, "operator") === "In" && values.length === 1)
        return values[0];
    }
  return undefined;
}

/** The affinity with all node requirements replaced by the node's name. */
export function affinityTo(affinity: JsonObject, node: string): JsonObject {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const nodeAffinity = objectIn(affinity, "nodeAffinity");
  return {
    ...affinity,
    nodeAffinity: {
      ...nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}

export function tolerates(toleration: JsonObject, taint: JsonObject): boolean {
  const [key, effect, operator] = ["key", "effect", "operator"].map((name) => textIn(toleration, name));
  if (effect !== "" && effect !== textIn(taint, "effect")) return false;
  if (key !== "" && key !== textIn(taint, "key")) return false;
  return (
    operator === "Exists" ||
    (["", "Equal"].includes(operator ?? "") && textIn(toleration, "value") === textIn(taint, "value"))
  );
}

/** The node's taints of these effects that the pod does not tolerate. */
export function untolerated(pod: JsonObject, node: KubeObject, effects: readonly string[]): readonly JsonObject[] {
  const tolerations = objectsIn(pod, "tolerations");
  return objectsIn(objectIn(asJson(node), "spec"), "taints").filter(
    (taint) =>
      effects.includes(textIn(taint, "effect")) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}
