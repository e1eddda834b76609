import { labelKeyFaults, labelValueFaults } from "../apis/label-syntax.ts";
import { parseApiVersion } from "../apis/resource-type.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../json.ts";
import { type FieldError, forbidden, invalid, tooLong } from "./field-error.ts";

/** Limit of the total length of annotation keys and values in bytes. */
const annotationLimit = 262_144;

const encoder = new TextEncoder();

function sizeOf(text: string): number {
  return encoder.encode(text).length;
}

/**
 * Validates the parts of ObjectMeta that are common to all kinds: labels, annotations, ownerReferences, finalizers.
 * Names and namespaces are validated by the kind. `path` is `metadata` for a whole object.
 */
export function validateMetadata(metadata: JsonObject, path: string): readonly FieldError[] {
  return [
    ...validateLabels(member(metadata, "labels"), `${path}.labels`),
    ...validateAnnotations(member(metadata, "annotations"), `${path}.annotations`),
    ...validateOwnerReferences(member(metadata, "ownerReferences"), `${path}.ownerReferences`),
    ...validateFinalizers(member(metadata, "finalizers"), `${path}.finalizers`),
  ];
}

/**
 * Errors of a label map: keys are qualified names, values are empty or label values. Anything but an object has no
 * errors here. Source: apimachinery's `ValidateLabels`.
 */
export function validateLabels(labels: JsonValue | undefined, path: string): readonly FieldError[] {
  if (!isJsonObject(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeyFaults(key).map((fault) => invalid(path, key, fault)),
    ...(typeof value === "string" ? labelValueFaults(value).map((fault) => invalid(path, value, fault)) : []),
  ]);
}

/**
 * Errors of an annotation map: keys are qualified names in any case, and all keys and values have at most 262,144
 * bytes together. Source: apimachinery's `ValidateAnnotations`.
 */
export function validateAnnotations(annotations: JsonValue | undefined, path: string): readonly FieldError[] {
  if (!isJsonObject(annotations)) return [];
  const errors = Object.keys(annotations).flatMap((key) =>
    labelKeyFaults(key.toLowerCase()).map((fault) => invalid(path, key, fault)),
  );
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += sizeOf(key) + (typeof value === "string" ? sizeOf(value) : 0);
  }
  return bytes > annotationLimit ? [...errors, tooLong(path, annotationLimit)] : errors;
}

/** As in Kubernetes, paths of a reference's fields do not include its index. */
function validateOwnerReferences(references: JsonValue | undefined, path: string): readonly FieldError[] {
  if (!Array.isArray(references)) return [];
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references.filter(isJsonObject)) {
    const apiVersion = textOf(reference, "apiVersion");
    const { group, version } = parseApiVersion(apiVersion);
    if (version === "") errors.push(invalid(`${path}.apiVersion`, apiVersion, "version must not be empty"));
    for (const name of ["kind", "name", "uid"]) {
      if (textOf(reference, name) === "") errors.push(invalid(`${path}.${name}`, "", "must not be empty"));
    }
    const kind = textOf(reference, "kind");
    if (group === "" && version === "v1" && kind === "Event") {
      errors.push(invalid(path, reference, "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (member(reference, "controller") !== true) continue;
    const owner = `${kind}/${textOf(reference, "name")}`;
    if (controller === undefined) controller = owner;
    else {
      const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${owner}`;
      errors.push(invalid(path, references, text));
    }
  }
  return errors;
}

export const plainFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function validateFinalizers(finalizers: JsonValue | undefined, path: string): readonly FieldError[] {
  if (!Array.isArray(finalizers)) return [];
  const errors: FieldError[] = [];
  for (const finalizer of finalizers.filter((item): item is string => typeof item === "string")) {
    errors.push(...labelKeyFaults(finalizer).map((fault) => invalid(path, finalizer, fault)));
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

/** An object that is being deleted must not get new finalizers. */
export function validateNoNewFinalizers(
  next: readonly string[],
  old: readonly string[],
  path: string,
): readonly FieldError[] {
  const before = new Set(old);
  const added = [...new Set(next.filter((finalizer) => !before.has(finalizer)))].toSorted();
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  return [
    forbidden(
      path,
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}

function textOf(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === "string" ? value : "";
}
