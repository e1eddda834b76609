import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { duplicate, invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { deepEqual, semanticEqual } from "@purser/kubernetes/object/semantic-equal";
import { goStruct } from "@purser/kubernetes/object/schema/go-schema";
import { goJson } from "@purser/kubernetes/text/go-json";
import { indexesProblem, sharedIndex } from "./job-indexes.ts";
import { hasMember, numberIn, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { notNegative } from "../pods/pod-validation.ts";

/** Whether the status has a condition of the type with status True. */
export function isConditionTrue(status: JsonObject, type: string): boolean {
  return objectsIn(status, "conditions").some((one) => one["type"] === type && one["status"] === "True");
}

/** A status update, as the rules read it. */
interface Change {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly before: JsonObject;
  readonly is: (type: string) => boolean;
  readonly was: (type: string) => boolean;
  readonly isFinished: boolean;
  /** Whether any of the members or conditions differs between the two states. */
  readonly changes: (...names: readonly string[]) => boolean;
}

function isFinished(status: JsonObject): boolean {
  return isConditionTrue(status, "Complete") || isConditionTrue(status, "Failed");
}

function changeOf(job: JsonObject, old: JsonObject): Change {
  const [status, before] = [objectIn(job, "status"), objectIn(old, "status")];
  const is = (type: string): boolean => isConditionTrue(status, type);
  const was = (type: string): boolean => isConditionTrue(before, type);
  const differs = (name: string): boolean => {
    if (name === "Finished") return isFinished(status) !== isFinished(before);
    if (/^[A-Z]/u.test(name)) return is(name) !== was(name);
    return !semanticEqual(status[name] ?? null, before[name] ?? null);
  };
  return {
    spec: objectIn(job, "spec"),
    status,
    before,
    is,
    was,
    isFinished: isFinished(status),
    changes: (...names) => names.some(differs),
  };
}

const conditions = "status.conditions";

function refusedConditions(detail: string): FieldError {
  return { type: "FieldValueInvalid", field: conditions, detail };
}

/** Validates a Job's status on updates through the status endpoint. */
export function validateJobStatus(job: JsonObject, old: JsonObject): readonly FieldError[] {
  const change = changeOf(job, old);
  return [
    ...["active", "succeeded", "failed", "ready", "terminating"].flatMap((key) =>
      notNegative(change.status, key, "status"),
    ),
    ...validateUncounted(change.status),
    ...validateEnd(change),
    ...validatePods(change),
    ...validateIndexes(change),
    ...validateReady(change),
    ...validateCriteria(change),
    ...validateProgress(change),
  ];
}

const uncounted = "uncountedTerminatedPods";

function validateUncounted(status: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return ["succeeded", "failed"].flatMap((list) =>
    textsIn(objectIn(status, uncounted), list).flatMap((uid, index) => {
      const field = `status.${uncounted}.${list}[${index}]`;
      if (uid === "") return [invalid(field, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** Mutually exclusive conditions, and the times that belong to them. */
function validateEnd({ status, is, changes }: Change): readonly FieldError[] {
  const errors: FieldError[] = [];
  const field = "status.completionTime";
  const [start, end] = [textIn(status, "startTime"), textIn(status, "completionTime")];
  if (changes("Complete", "Failed") && is("Complete") && is("Failed"))
    errors.push(refusedConditions("cannot set Complete=True and Failed=true conditions"));
  if (changes("Complete", "FailureTarget") && is("Complete") && is("FailureTarget"))
    errors.push(refusedConditions("cannot set Complete=True and FailureTarget=true conditions"));
  if (changes("Complete", "completionTime")) {
    if (end !== "" && !is("Complete"))
      errors.push(invalid(field, end, "cannot set completionTime when there is no Complete=True condition"));
    if (end === "" && is("Complete")) errors.push(required(field, "completionTime is required for Complete jobs"));
  }
  if (changes("startTime", "completionTime") && start !== "" && end !== "" && Date.parse(end) < Date.parse(start))
    errors.push(invalid(field, end, "must be equal to or after `startTime`"));
  if (changes("Failed", "failedIndexes") && is("Failed") && !is("FailureTarget"))
    errors.push(refusedConditions("cannot set Failed=True condition without the FailureTarget=true condition"));
  if (changes("Complete", "SuccessCriteriaMet") && is("Complete") && !is("SuccessCriteriaMet"))
    errors.push(refusedConditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"));
  return errors;
}

/** A finished Job must have no active or terminating pods. */
function validatePods({ spec, status, isFinished: ended, changes }: Change): readonly FieldError[] {
  if (!ended) return [];
  const errors: FieldError[] = [];
  const active = numberIn(status, "active") ?? 0;
  if (changes("Finished", "active") && active > 0)
    errors.push(invalid("status.active", active, "active>0 is invalid for finished job"));
  const neverRuns = spec["suspend"] === true && spec["completions"] === 0;
  if (changes("Finished", "startTime") && !neverRuns && !hasMember(status, "startTime"))
    errors.push(required("status.startTime", "startTime is required for finished job"));
  const left = objectIn(status, uncounted);
  const count = textsIn(left, "failed").length + textsIn(left, "succeeded").length;
  if (changes("Finished", uncounted) && count > 0)
    errors.push({
      ...invalid(`status.${uncounted}`, null, "must be empty for finished job"),
      badText: goStruct([
        ["Succeeded", goJson(left["succeeded"] ?? null)],
        ["Failed", goJson(left["failed"] ?? null)],
      ]),
    });
  return errors;
}

function validateIndexes({ spec, status, changes }: Change): readonly FieldError[] {
  const errors: FieldError[] = [];
  const completions = numberIn(spec, "completions");
  const completed = textIn(status, "completedIndexes");
  const failed = hasMember(status, "failedIndexes") ? textIn(status, "failedIndexes") : undefined;
  const at = (name: string): string => `status.${name}`;
  const perIndex = hasMember(spec, "backoffLimitPerIndex");
  if (changes("completedIndexes") && completions !== undefined) {
    const problem = indexesProblem(completed, completions);
    if (problem !== undefined)
      errors.push(invalid(at("completedIndexes"), completed, `error parsing completedIndexes: ${problem}`));
  }
  if (changes("failedIndexes") && completions !== undefined && perIndex && failed !== undefined) {
    const problem = indexesProblem(failed, completions);
    if (problem !== undefined)
      errors.push(invalid(at("failedIndexes"), failed, `error parsing failedIndexes: ${problem}`));
  }
  if (changes("completedIndexes") && completed !== "" && spec["completionMode"] !== "Indexed")
    errors.push(
      invalid(
        at("completedIndexes"),
        completed,
        "cannot set non-empty completedIndexes when non-indexed completion mode",
      ),
    );
  if (changes("failedIndexes") && !perIndex && failed !== undefined)
    errors.push(
      invalid(at("failedIndexes"), failed, "cannot set non-null failedIndexes when backoffLimitPerIndex is null"),
    );
  if (changes("failedIndexes", "completedIndexes") && completions !== undefined && failed !== undefined) {
    const shared = sharedIndex(completed, failed, completions);
    if (shared !== undefined)
      errors.push(
        invalid(at("failedIndexes"), failed, `failedIndexes and completedIndexes overlap at index: ${shared}`),
      );
  }
  return errors;
}

function validateReady({ status, isFinished: ended, changes }: Change): readonly FieldError[] {
  const errors: FieldError[] = [];
  const active = numberIn(status, "active") ?? 0;
  const [terminating, ready] = [numberIn(status, "terminating"), numberIn(status, "ready")];
  if (changes("Finished", "terminating") && terminating !== undefined && terminating > 0 && ended)
    errors.push(invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"));
  if (changes("ready", "active") && ready !== undefined && ready > active)
    errors.push(invalid("status.ready", ready, "cannot set more ready pods than active"));
  return errors;
}

function validateCriteria({ spec, is }: Change): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const other of ["Failed", "FailureTarget"])
    if (is("SuccessCriteriaMet") && is(other))
      errors.push(refusedConditions(`cannot set SuccessCriteriaMet=True and ${other}=true conditions`));
  if (hasMember(spec, "successPolicy") && !is("SuccessCriteriaMet") && is("Complete"))
    errors.push(
      refusedConditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"),
    );
  return errors;
}

/** Terminal conditions and counters that must not be reverted. */
function validateProgress({ spec, status, before, is, was, changes }: Change): readonly FieldError[] {
  const errors: FieldError[] = [];
  const fell = (name: string): boolean => (numberIn(status, name) ?? 0) < (numberIn(before, name) ?? 0);
  const frozen = (name: string, detail: string): FieldError => {
    const value: JsonValue = status[name] ?? null;
    return invalid(`status.${name}`, value, detail);
  };
  for (const type of ["Failed", "Complete", "FailureTarget"])
    if (was(type) && !is(type)) errors.push(refusedConditions(`cannot disable the terminal ${type}=True condition`));
  if (fell("failed"))
    errors.push(invalid("status.failed", numberIn(status, "failed") ?? 0, "cannot decrease the failed counter"));
  // An indexed Job with completions equal to parallelism may scale down.
  const mayShrink =
    spec["completionMode"] === "Indexed" && deepEqual(spec["completions"] ?? null, spec["parallelism"] ?? null);
  if (fell("succeeded") && !mayShrink)
    errors.push(
      invalid("status.succeeded", numberIn(status, "succeeded") ?? 0, "cannot decrease the succeeded counter"),
    );
  const [end, ended] = [textIn(status, "completionTime"), textIn(before, "completionTime")];
  if (end !== "" && ended !== "" && end !== ended) errors.push(frozen("completionTime", "field is immutable"));
  const resumes =
    was("Suspended") &&
    objectsIn(status, "conditions").some(({ type, status: held }) => type === "Suspended" && held === "False");
  if (changes("startTime") && !resumes && hasMember(before, "startTime") && spec["suspend"] !== true)
    errors.push(frozen("startTime", "field is immutable for unsuspended job once set"));
  if (was("SuccessCriteriaMet") && !is("SuccessCriteriaMet"))
    errors.push(refusedConditions("cannot disable the SuccessCriteriaMet=True condition"));
  if (was("Complete") && !was("SuccessCriteriaMet") && is("SuccessCriteriaMet"))
    errors.push(refusedConditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"));
  return errors;
}
