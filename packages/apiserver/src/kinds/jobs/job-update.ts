import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, type FieldError } from "@purser/kubernetes/object/field-error";
import { decodedEqual } from "@purser/kubernetes/object/semantic-equal";
import { isConditionTrue } from "./job-status-validation.ts";
import { internalText } from "../internal-text.ts";
import { hasMember, numberIn, objectIn, objectsIn, pickMembers, textIn, without } from "../decoding/json-parts.ts";
import { invalidSelector } from "../workloads/selector-validation.ts";

/** The template is mutable while the Job is suspended and has no active pods. */
function mayChangeTemplate(old: JsonObject): boolean {
  const status = objectIn(old, "status");
  const isStopped = !hasMember(status, "startTime") || isConditionTrue(status, "Suspended");
  return objectIn(old, "spec")["suspend"] === true && isStopped && (numberIn(status, "active") ?? 0) === 0;
}

/**
 * The old pod spec with the fields that are mutable in a suspended Job taken from the new one: scheduling directives
 * and container resources.
 */
function withChanges(before: JsonObject, next: JsonObject): JsonObject {
  const free = ["nodeSelector", "tolerations", "schedulingGates"];
  const kept = { ...without(before, ...free, "affinity"), ...pickMembers(next, ...free) };
  const affinity = affinityOf(before, next);
  const lists = ["containers", "initContainers"].filter((key) => hasMember(before, key));
  return {
    ...kept,
    ...(affinity === undefined ? {} : { affinity }),
    ...Object.fromEntries(lists.map((key) => [key, withResources(objectsIn(before, key), objectsIn(next, key))])),
  };
}

function affinityOf(before: JsonObject, next: JsonObject): JsonObject | undefined {
  const others = without(objectIn(before, "affinity"), "nodeAffinity");
  if (hasMember(next, "affinity")) return { ...others, ...pickMembers(objectIn(next, "affinity"), "nodeAffinity") };
  return Object.keys(others).length === 0 ? undefined : others;
}

function withResources(before: readonly JsonObject[], next: readonly JsonObject[]): readonly JsonObject[] {
  if (before.length !== next.length) return before;
  return before.map((container, index) => {
    const other = next[index] ?? {};
    return textIn(other, "name") === textIn(container, "name")
      ? { ...without(container, "resources"), ...pickMembers(other, "resources") }
      : container;
  });
}

/** Validates changes of the pod template. */
export function validateTemplateUpdate(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const [template, before] = [objectIn(spec, "template"), objectIn(objectIn(old, "spec"), "template")];
  const refused = (field: string, struct: string, value: JsonObject): FieldError => ({
    ...invalid(field, null, "field is immutable"),
    badText: internalText(struct, value),
  });
  if (!mayChangeTemplate(old))
    return decodedEqual(template, before) ? [] : [refused("spec.template", "PodTemplateSpec", template)];
  const [pod, allowed] = [
    objectIn(template, "spec"),
    withChanges(objectIn(before, "spec"), objectIn(template, "spec")),
  ];
  return decodedEqual(pod, allowed) ? [] : [refused("spec.template.spec", "PodSpec", pod)];
}

const frozen = ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"];

/** Immutable members that are structs. */
const structs: ReadonlyMap<string, string> = new Map([
  ["podFailurePolicy", "PodFailurePolicy"],
  ["successPolicy", "SuccessPolicy"],
]);

function immutable(spec: JsonObject, field: string): FieldError {
  const struct = structs.get(field);
  const error = invalid(`spec.${field}`, spec[field] ?? null, "field is immutable");
  return struct !== undefined && hasMember(spec, field)
    ? { ...error, badText: internalText(struct, objectIn(spec, field)) }
    : error;
}

/** Validates changes of a Job's spec. */
export function validateJobUpdate(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const before = objectIn(old, "spec");
  const unchanged = (field: string): readonly FieldError[] =>
    decodedEqual(spec[field] ?? null, before[field] ?? null) ? [] : [immutable(spec, field)];
  return [
    ...(spec["completionMode"] === "Indexed" ? validateScaling(spec, before) : unchanged("completions")),
    ...(decodedEqual(spec["selector"] ?? null, before["selector"] ?? null)
      ? []
      : [invalidSelector("spec.selector", spec["selector"] ?? null, "field is immutable")]),
    ...validateTemplateUpdate(spec, old),
    ...frozen.flatMap(unchanged),
  ];
}

/** completions of an indexed Job is mutable together with parallelism, when both are equal. */
function validateScaling(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const completions = spec["completions"];
  if (decodedEqual(completions ?? null, before["completions"] ?? null) || !hasMember(spec, "completions")) return [];
  return completions === spec["parallelism"]
    ? []
    : [invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")];
}
