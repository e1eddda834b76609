import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { forbidden, invalid, type FieldError } from "../../object/field-error.ts";
import { deepEqual, semanticEqual } from "../../object/semantic-equal.ts";
import { mapList, numberIn, objectAt, objectIn, objectsIn, textIn, without } from "./json-parts.ts";

const changeable =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** The spec without what an update may change, to compare the rest. */
function fixedPart(spec: JsonObject, isGated: boolean, grace: JsonValue | undefined): JsonObject {
  const withoutImages = (container: JsonObject): JsonObject => without(container, "image");
  const containers = mapList(mapList(spec, "containers", withoutImages), "initContainers", withoutImages);
  const rest = without(containers, "activeDeadlineSeconds", "tolerations", "schedulingGates");
  const wasNegative = typeof grace === "number" && grace < 0;
  const kept =
    wasNegative && spec["terminationGracePeriodSeconds"] === 1
      ? { ...rest, terminationGracePeriodSeconds: grace }
      : rest;
  if (!isGated) return kept;
  const affinity = without(objectIn(kept, "affinity"), "nodeAffinity");
  const placed = without(kept, "nodeSelector", "affinity");
  return Object.keys(affinity).length === 0 ? placed : { ...placed, affinity };
}

/** Whether every toleration is still there; for how long it tolerates may change. */
function keepsTolerations(next: JsonObject, old: JsonObject): boolean {
  const lasting = (toleration: JsonObject): JsonObject => without(toleration, "tolerationSeconds");
  const held = objectsIn(next, "tolerations").map(lasting);
  return objectsIn(old, "tolerations").every((one) => held.some((other) => deepEqual(other, lasting(one))));
}

const mostSeconds = 2 ** 31 - 1;

/** What an update of a pod's spec may not change. */
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
  const isGated = objectsIn(old, "schedulingGates").length > 0;
  if (isGated) errors.push(...validateNarrowing(next, old));
  const grace = old["terminationGracePeriodSeconds"];
  if (!semanticEqual(fixedPart(next, isGated, grace), fixedPart(old, isGated, grace)))
    errors.push(forbidden("spec", changeable));
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

/** While a gate holds a pod back, where it may run can only become less. */
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

const lists = ["matchExpressions", "matchFields"];

function hasOnlyAdditions(next: JsonObject, old: JsonObject): boolean {
  const count = (term: JsonObject): number => lists.reduce((sum, key) => sum + objectsIn(term, key).length, 0);
  if (count(old) === 0) return count(next) === 0;
  return lists.every((key) => {
    const before = objectsIn(old, key);
    return deepEqual(objectsIn(next, key).slice(0, before.length), [...before]);
  });
}

/** Upstream prints its internal struct. */
function termText(term: JsonObject): string {
  const list = (key: string): JsonValue =>
    Array.isArray(term[key])
      ? objectsIn(term, key).map((held) => ({
          Key: textIn(held, "key"),
          Operator: textIn(held, "operator"),
          Values: held["values"] ?? null,
        }))
      : null;
  const parts = { MatchExpressions: list("matchExpressions"), MatchFields: list("matchFields") };
  return isJsonObject(term) ? JSON.stringify(parts) : "null";
}
