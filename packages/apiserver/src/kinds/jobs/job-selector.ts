import type { JsonObject } from "@purser/kubernetes/json";
import { member } from "@purser/kubernetes/json";
import { invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, objectAt, objectIn, textIn } from "../decoding/json-parts.ts";
import { invalidSelector, validateLabelSelector } from "../workloads/selector-validation.ts";
import { labelsMatch } from "../workloads/workload-validation.ts";

/** The label that a generated selector matches on. */
export const ownLabel = "batch.kubernetes.io/controller-uid";

const nameLabel = "batch.kubernetes.io/job-name";

/** Labels that tie pods to a Job: the legacy ones without prefix, and the prefixed ones. */
export function ownLabels(name: string, uid: string): JsonObject {
  return { "controller-uid": uid, "job-name": name, [ownLabel]: uid, [nameLabel]: name };
}

/** Unless manualSelector is set, the template must have the Job's generated labels and the selector must match them. */
export function validateGeneratedSelector(job: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(job, "spec");
  if (spec["manualSelector"] === true || !hasMember(spec, "selector")) return [];
  const [name, uid] = [textIn(objectIn(job, "metadata"), "name"), textIn(objectIn(job, "metadata"), "uid")];
  // Jobs created before the prefixed labels existed do not need them.
  const before = objectAt(old ?? job, "spec", "template", "metadata", "labels");
  const asksForAll = old === undefined || (hasMember(before, ownLabel) && hasMember(before, nameLabel));
  const names = ["controller-uid", "job-name", ...(asksForAll ? [ownLabel, nameLabel] : [])];
  const own = ownLabels(name, uid);
  const expected: JsonObject = Object.fromEntries(names.map((key) => [key, own[key]]));
  const labels = objectAt(spec, "template", "metadata", "labels");
  const selector = objectIn(spec, "selector");
  const unreadable = validateLabelSelector(selector, "").length > 0;
  return [
    ...(uid === "" ? [required("metadata.uid")] : []),
    ...names.flatMap((key) => hasLabel(labels, key, textIn(own, key))),
    ...(unreadable || labelsMatch(selector, expected)
      ? []
      : [invalidSelector("spec.selector", selector, "`selector` not auto-generated")]),
  ];
}

function hasLabel(labels: JsonObject, key: string, value: string): readonly FieldError[] {
  const field = `spec.template.metadata.labels[${key}]`;
  const wanted = `must be '${value}'`;
  const held = member(labels, key);
  if (held === undefined) return [required(field, wanted)];
  return held === value ? [] : [invalid(field, labels, wanted)];
}

/** The selector must match the template's labels, whether it is generated or manual. */
export function validateJobSelector(spec: JsonObject): readonly FieldError[] {
  const labels = member(objectAt(spec, "template", "metadata"), "labels") ?? null;
  const mismatch = invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  if (!hasMember(spec, "selector")) return [required("spec.selector"), mismatch];
  const selector = objectIn(spec, "selector");
  const faults = validateLabelSelector(selector, "spec.selector");
  if (faults.length > 0) return faults;
  return labelsMatch(selector, objectAt(spec, "template", "metadata", "labels")) ? [] : [mismatch];
}
