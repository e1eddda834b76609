import { taggedText } from "../kinds/internal-text.ts";
import { objectIn, objectsIn, textIn, without } from "../kinds/decoding/json-parts.ts";
import { validateOperator, validateRequirement } from "../kinds/workloads/selector-validation.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { type FieldError, invalid, required } from "@purser/kubernetes/object/field-error";
import { goStruct } from "@purser/kubernetes/object/schema/go-schema";
import { goJson } from "@purser/kubernetes/text/go-json";

/** Validates the spec of an access review, for the caller or (`isOfOthers`) for another user. */
export function validateReviewSpec(spec: JsonObject, isOfOthers: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const resource = member(spec, "resourceAttributes");
  const path = member(spec, "nonResourceAttributes");
  if (isJsonObject(resource) && isJsonObject(path))
    errors.push(refusePath(path, "cannot be specified in combination with resourceAttributes"));
  if (!isJsonObject(resource) && !isJsonObject(path)) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(invalid("spec.resourceAttributes", null, detail));
  }
  const groups = member(spec, "groups");
  if (isOfOthers && textIn(spec, "user") === "" && (!Array.isArray(groups) || groups.length === 0))
    errors.push(invalid("spec.user", "", "at least one of user or group must be specified"));
  if (isJsonObject(resource))
    for (const name of ["fieldSelector", "labelSelector"])
      errors.push(...validateSelector(member(resource, name), `spec.resourceAttributes.${name}`));
  return errors;
}

/** A review may have no metadata except managedFields. */
export function validateReviewMetadata(review: JsonObject): readonly FieldError[] {
  return validateEmptyMetadata(objectIn(review, "metadata"), ["managedFields"], "must be empty");
}

function validateEmptyMetadata(metadata: JsonObject, free: readonly string[], detail: string): readonly FieldError[] {
  return Object.keys(without(metadata, ...free)).length === 0
    ? []
    : [{ ...invalid("metadata", null, detail), badText: taggedText("ObjectMeta", metadata) }];
}

/** A LocalSubjectAccessReview must be about its own namespace and about resources. */
export function validateLocalReview(review: JsonObject, namespace: string): readonly FieldError[] {
  const spec = objectIn(review, "spec");
  const resource = member(spec, "resourceAttributes");
  const path = member(spec, "nonResourceAttributes");
  const free = ["managedFields", "namespace"];
  const errors = [
    ...validateReviewSpec(spec, true),
    ...validateEmptyMetadata(objectIn(review, "metadata"), free, "must be empty except for namespace"),
  ];
  if (isJsonObject(resource) && textIn(resource, "namespace") !== namespace) {
    const field = "spec.resourceAttributes.namespace";
    errors.push(invalid(field, textIn(resource, "namespace"), "must match metadata.namespace"));
  }
  if (isJsonObject(path)) errors.push(refusePath(path, "disallowed on this kind of request"));
  return errors;
}

function refusePath(path: JsonObject, detail: string): FieldError {
  const text = goStruct([
    ["Path", goJson(textIn(path, "path"))],
    ["Verb", goJson(textIn(path, "verb"))],
  ]);
  return { ...invalid("spec.nonResourceAttributes", null, detail), badText: text };
}

function validateSelector(selector: JsonValue | undefined, field: string): readonly FieldError[] {
  if (!isJsonObject(selector)) return [];
  const raw = textIn(selector, "rawSelector");
  const requirements = objectsIn(selector, "requirements");
  const errors: FieldError[] = [];
  if (raw !== "" && requirements.length > 0)
    errors.push(invalid(`${field}.rawSelector`, raw, "may not specified at the same time as requirements"));
  if (raw === "" && requirements.length === 0)
    errors.push(
      required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`),
    );
  const isOfLabels = field.endsWith("labelSelector");
  for (const [index, requirement] of requirements.entries()) {
    const at = `${field}.requirements[${index}]`;
    errors.push(
      ...(isOfLabels ? validateRequirement(requirement, at, true) : validateFieldRequirement(requirement, at)),
    );
  }
  return errors;
}

function validateFieldRequirement(requirement: JsonObject, path: string): readonly FieldError[] {
  return [
    ...(textIn(requirement, "key") === "" ? [required(`${path}.key`, "must be specified")] : []),
    ...validateOperator(requirement, path, true),
  ];
}
