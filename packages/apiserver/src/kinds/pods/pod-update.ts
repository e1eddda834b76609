import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { forbidden, invalid, type FieldError } from "@purser/kubernetes/object/field-error";
import { deepEqual, decodedEqual } from "@purser/kubernetes/object/semantic-equal";
import { internalDifference, internalText } from "../internal-text.ts";
import {
  hasMember,
  numberIn,
  objectAt,
  objectIn,
  objectsIn,
  pickMembers,
  textIn,
  without,
} from "../decoding/json-parts.ts";

const changeable =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** The new spec with all mutable fields reset to the old values: what still differs is immutable. */
function withAllowedPutBack(next: JsonObject, old: JsonObject): JsonObject {
  const images = (key: string): readonly JsonValue[] =>
    objectsIn(next, key).map((container, index) => ({
      ...without(container, "image"),
      ...pickMembers(objectsIn(old, key)[index] ?? {}, "image"),
    }));
  const lists = ["containers", "initContainers"].filter((key) => Array.isArray(next[key]));
  const free = ["activeDeadlineSeconds", "tolerations", "schedulingGates"];
  const grace = numberIn(old, "terminationGracePeriodSeconds") ?? 0;
  if (grace < 0 && next["terminationGracePeriodSeconds"] === 1) free.push("terminationGracePeriodSeconds");
  const isGated = objectsIn(old, "schedulingGates").length > 0;
  if (isGated) free.push("nodeSelector");
  const kept = {
    ...without(next, ...free),
    ...pickMembers(old, ...free),
    ...Object.fromEntries(lists.map((key) => [key, images(key)])),
  };
  return isGated ? withNodeAffinity(kept, old) : kept;
}

/** Restores the old node affinity; other affinities stay. */
function withNodeAffinity(spec: JsonObject, old: JsonObject): JsonObject {
  const before = objectIn(old, "affinity");
  const others = without(objectIn(spec, "affinity"), "nodeAffinity");
  const affinity = { ...others, ...pickMembers(before, "nodeAffinity") };
  const isNone = !hasMember(old, "affinity") && Object.keys(affinity).length === 0;
  return isNone || (!hasMember(spec, "affinity") && !hasMember(before, "nodeAffinity"))
    ? without(spec, "affinity")
    : { ...spec, affinity };
}

/** Whether all old tolerations are still present; their seconds may change. */
function keepsTolerations(next: JsonObject, old: JsonObject): boolean {
  const lasting = (toleration: JsonObject): JsonObject => without(toleration, "tolerationSeconds");
  const held = objectsIn(next, "tolerations").map(lasting);
  return objectsIn(old, "tolerations").every((one) => held.some((other) => deepEqual(other, lasting(one))));
}

const mostSeconds = 2 ** 31 - 1;

/** Validates changes of a pod's spec. */
export function validatePodUpdate(next: JsonObject, old: JsonObject): readonly FieldError[] {
  for (const key of ["containers", "initContainers"])
    if (objectsIn(next, key).length !== objectsIn(old, key).length)
      return [forbidden(`spec.${key}`, "pod updates may not add or remove containers")];
  const errors: FieldError[] = [];
  const field = "spec.activeDeadlineSeconds";
  const [deadline, before] = [numberIn(next, "activeDeadlineSeconds"), numberIn(old, "activeDeadlineSeconds")];
  if (deadline !== undefined && (deadline < 0 || deadline > mostSeconds))
    return [invalid(field, deadline, `must be between 0 and ${mostSeconds}, inclusive`)];
  if (deadline !== undefined && before !== undefined && before < deadline)
    return [invalid(field, deadline, "must be less than or equal to previous value")];
  if (deadline === undefined && before !== undefined)
    errors.push(invalid(field, null, "must not update from a positive integer to nil value"));
  if (!keepsTolerations(next, old))
    errors.push(forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"));
  errors.push(...onlyFewerGates(next, old));
  if (objectsIn(old, "schedulingGates").length > 0) errors.push(...validateNarrowing(next, old));
  const kept = withAllowedPutBack(next, old);
  if (!decodedEqual(kept, old))
    errors.push(forbidden("spec", `${changeable}\n${internalDifference("PodSpec", old, kept)}`));
  return errors;
}

function onlyFewerGates(next: JsonObject, old: JsonObject): readonly FieldError[] {
  const known = objectsIn(old, "schedulingGates").map((gate) => textIn(gate, "name"));
  return objectsIn(next, "schedulingGates").flatMap((gate, index) => {
    const name = textIn(gate, "name");
    return known.includes(name)
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ];
  });
}

const needed = "requiredDuringSchedulingIgnoredDuringExecution";

/** While scheduling gates are set, node selector and affinity can only become narrower. */
function validateNarrowing(next: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const selector = objectIn(next, "nodeSelector");
  const lost = Object.entries(objectIn(old, "nodeSelector")).some(([key, value]) => selector[key] !== value);
  if (lost)
    errors.push(
      invalid(
        "spec.nodeSelector",
        selector,
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      ),
    );
  const termsOf = (spec: JsonObject): readonly JsonObject[] =>
    objectsIn(objectAt(spec, "affinity", "nodeAffinity", needed), "nodeSelectorTerms");
  const [before, after] = [termsOf(old), termsOf(next)];
  const at = `spec.affinity.nodeAffinity.${needed}.nodeSelectorTerms`;
  if (before.length > 0 && before.length !== after.length)
    return [
      ...errors,
      {
        ...invalid(at, null, "no additions/deletions to non-empty NodeSelectorTerms list are allowed"),
        badText: after.length === 0 ? "null" : `[${after.map(termText).join(",")}]`,
      },
    ];
  for (const [index, term] of after.slice(0, before.length).entries())
    if (!hasOnlyAdditions(term, before[index] ?? {}))
      errors.push({
        ...invalid(`${at}[${index}]`, null, "only additions are allowed (no mutations or deletions)"),
        badText: termText(term),
      });
  return errors;
}

/** A node selector term as error messages quote it. */
function termText(term: JsonObject): string {
  return internalText("NodeSelectorTerm", term);
}

const lists = ["matchExpressions", "matchFields"];

function hasOnlyAdditions(next: JsonObject, old: JsonObject): boolean {
  const count = (term: JsonObject): number => lists.reduce((sum, key) => sum + objectsIn(term, key).length, 0);
  if (count(old) === 0) return count(next) === 0;
  return lists.every((key) => {
    const before = objectsIn(old, key);
    return deepEqual(objectsIn(next, key).slice(0, before.length), [...before]);
  });
}
