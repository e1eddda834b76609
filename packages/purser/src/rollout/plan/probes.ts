import { matchesSelector, selectorOf } from "@purser/kubernetes/apis/selector";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { kindOf } from "@purser/kubernetes/apis/resource-type";
import type { ProbeAssertion, ProbeSelector, ProgressionProbe } from "../../apis/v1/cluster-object-set.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { goJson } from "@purser/kubernetes/text/documents";

/** OLM's messages why an object is not ready; empty when it is ready or no probe selects it. */
export function probeFaults(object: KubeObject, probes: readonly ProgressionProbe[]): readonly string[] {
  const asked = probes.filter(({ selector }) => selects(selector, object));
  if (asked.length === 0) return [];
  const json = asJson(object);
  const observed = at(json, "status.observedGeneration");
  const { generation } = object.metadata;
  return asked.flatMap(({ assertions }) =>
    observed !== undefined && observed !== generation
      ? [".status outdated"]
      : assertions.flatMap((assertion) => assertionFault(json, assertion, generation) ?? []),
  );
}

function selects(selector: ProbeSelector, object: KubeObject): boolean {
  switch (selector.type) {
    case "GroupKind": {
      const { group, kind } = kindOf(object);
      return group === selector.groupKind.group && kind === selector.groupKind.kind;
    }
    case "Label": {
      const parsed = selectorOf(selector.label);
      return parsed.ok && matchesSelector(parsed.value, object.metadata.labels ?? {});
    }
  }
}

function assertionFault(
  object: JsonObject,
  assertion: ProbeAssertion,
  generation: number | undefined,
): string | undefined {
  switch (assertion.type) {
    case "ConditionEqual": {
      const { type, status } = assertion.conditionEqual;
      return conditionFault(object, type, status, generation);
    }
    case "FieldsEqual": {
      const { fieldA, fieldB } = assertion.fieldsEqual;
      const [a, b] = [at(object, fieldA), at(object, fieldB)];
      if (a === undefined) return `"${fieldA}" missing`;
      if (b === undefined) return `"${fieldB}" missing`;
      return deepEqual(a, b) ? undefined : `"${fieldA}" != "${fieldB}" expected: ${goJson(a)} got: ${goJson(b)}`;
    }
    case "FieldValue": {
      const { fieldPath, value } = assertion.fieldValue;
      const held = at(object, fieldPath);
      if (held === undefined) return `missing key: "${fieldPath}"`;
      return held === value
        ? undefined
        : `value at key "${fieldPath}" != "${value}"; expected: "${value}" got: ${goJson(held)}`;
    }
  }
}

function conditionFault(
  object: JsonObject,
  type: string,
  status: string,
  generation: number | undefined,
): string | undefined {
  const conditions = at(object, "status.conditions");
  if (conditions === undefined) return "missing .status.conditions";
  if (!Array.isArray(conditions)) return "malformed .status.conditions";
  const condition: JsonValue | undefined = conditions.find(
    (entry: JsonValue) => isJsonObject(entry) && member(entry, "type") === type,
  );
  if (!isJsonObject(condition)) return `missing .status.condition["${type}"]`;
  const observed = member(condition, "observedGeneration");
  if (observed !== undefined && observed !== generation) return `.status.condition["${type}"] outdated`;
  const held = member(condition, "status");
  return held === status
    ? undefined
    : `.status.condition["${type}"] is ${typeof held === "string" ? held : goJson(held ?? null)}`;
}

/** A plain dot path; lists have none. */
function at(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path.split(".")) value = isJsonObject(value) ? member(value, name) : undefined;
  return value;
}
