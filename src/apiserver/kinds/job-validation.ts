import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { invalid, notSupported, required, tooLong, type FieldError } from "../../object/field-error.ts";
import { validateAnnotations, validateLabels } from "../../object/metadata-rules.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { parseSchedule } from "./cron-schedule.ts";
import { hasMember, numberIn, objectAt, objectIn, textIn } from "./json-parts.ts";
import { labelProblems, subdomainProblems } from "./names.ts";
import { notNegative, validatePodTemplate } from "./pod-validation.ts";
import { timeZone } from "../../time-zone.ts";
import { labelsMatch } from "./workload-validation.ts";

const counters = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];
const mostIndexedPods = 100_000;
const longestManagedBy = 63;

function validateJobSpec(spec: JsonObject, path: string): readonly FieldError[] {
  const pod = objectAt(spec, "template", "spec");
  const policy = textIn(pod, "restartPolicy");
  const field = `${path}.template.spec.restartPolicy`;
  return [
    ...counters.flatMap((key) => notNegative(spec, key, path)),
    ...validateCompletionMode(spec, path),
    ...validateReplacement(spec, path),
    ...validateManager(spec, `${path}.managedBy`),
    ...(textIn(spec, "managedBy").length > longestManagedBy ? [tooLong(`${path}.managedBy`, longestManagedBy)] : []),
    ...validateLabels(objectAt(spec, "template", "metadata")["labels"], `${path}.template.labels`),
    ...validateAnnotations(objectAt(spec, "template", "metadata")["annotations"], `${path}.template.annotations`),
    ...validatePodTemplate(objectIn(spec, "template"), `${path}.template`).filter(
      (error) => error.field !== field || policy !== "",
    ),
    ...(policy === "" || policy === "Always"
      ? [required(field, 'valid values: "OnFailure", "Never"')]
      : ["OnFailure", "Never"].includes(policy)
        ? []
        : [notSupported(field, policy, ["OnFailure", "Never"])]),
  ];
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Who runs the job, when it is not the built-in controller: a path below a domain. */
function validateManager(spec: JsonObject, field: string): readonly FieldError[] {
  if (!hasMember(spec, "managedBy")) return [];
  const manager = textIn(spec, "managedBy");
  if (manager === "") return [required(field)];
  const [, domain = "", path = ""] = /^([^/]*)\/([^]*)$/u.exec(manager) ?? [];
  if (domain === "" || path === "")
    return [invalid(field, manager, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...subdomainProblems(domain).map((problem) => invalid(field, domain, problem)),
    ...(new RegExp(`^${pathPattern}$`, "u").test(path)
      ? []
      : [invalid(field, path, `Invalid path (regex used for validation is '${pathPattern}')`)]),
  ];
}

function validateCompletionMode(spec: JsonObject, path: string): readonly FieldError[] {
  const mode = textIn(spec, "completionMode");
  const at = (key: string): string => `${path}.${key}`;
  const failures = ["backoffLimitPerIndex", "maxFailedIndexes"];
  const errors: FieldError[] = [];
  if (hasMember(spec, "maxFailedIndexes") && !hasMember(spec, "backoffLimitPerIndex"))
    errors.push(required(at("backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
  if (mode === "NonIndexed" || mode === "") {
    for (const key of failures)
      if (hasMember(spec, key)) errors.push(invalid(at(key), spec[key], "requires indexed completion mode"));
    return errors;
  }
  if (mode !== "Indexed") return [...errors, notSupported(at("completionMode"), mode, ["NonIndexed", "Indexed"])];
  if (!hasMember(spec, "completions")) errors.push(required(at("completions"), "when completion mode is Indexed"));
  const parallelism = numberIn(spec, "parallelism") ?? 0;
  if (parallelism > mostIndexedPods) {
    const limit = `must be less than or equal to ${mostIndexedPods} when completion mode is Indexed`;
    errors.push(invalid(at("parallelism"), parallelism, limit));
  }
  return errors;
}

function validateReplacement(spec: JsonObject, path: string): readonly FieldError[] {
  const policy = textIn(spec, "podReplacementPolicy");
  const supported = hasMember(spec, "podFailurePolicy") ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return policy === "" || supported.includes(policy)
    ? []
    : [notSupported(`${path}.podReplacementPolicy`, policy, supported)];
}

/** A create makes the selector itself, an update must repeat it. */
function validateJobSelector(spec: JsonObject): readonly FieldError[] {
  const labels = objectAt(spec, "template", "metadata")["labels"] ?? null;
  const mismatch = invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  if (!hasMember(spec, "selector")) return [required("spec.selector"), mismatch];
  return labelsMatch(objectIn(spec, "selector"), isJsonObject(labels) ? labels : {}) ? [] : [mismatch];
}

const ownLabel = "batch.kubernetes.io/controller-uid";

/** A selector of the user's needs to be asked for. */
function validateNewSelector(job: JsonObject): readonly FieldError[] {
  const spec = objectIn(job, "spec");
  const uid = textIn(objectIn(job, "metadata"), "uid");
  if (spec["manualSelector"] === true) return validateJobSelector(spec);
  const selector = objectIn(spec, "selector");
  if (uid === "" || deepEqual(selector, { matchLabels: { [ownLabel]: uid } })) return [];
  return [invalid("spec.selector", selector, "`selector` not auto-generated"), ...validateJobSelector(spec)];
}

const frozen = [
  "selector",
  "template",
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
];

/** The rules of a Job; `old` on updates, which may change little. */
export function validateJob(job: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(job, "spec");
  if (old === undefined)
    return [...validateNewSelector(job), ...validateJobSpec(spec, "spec"), ...validateHostname(job)];
  const before = objectIn(old, "spec");
  const same = (field: string): boolean => deepEqual(spec[field], before[field]);
  const errors = [...validateJobSpec(spec, "spec"), ...validateJobSelector(spec)];
  const immutable = (field: string): FieldError => invalid(`spec.${field}`, spec[field] ?? null, "field is immutable");
  if (!same("completions")) {
    if (spec["completionMode"] !== "Indexed") errors.push(immutable("completions"));
    else if (hasMember(spec, "completions") && spec["completions"] !== spec["parallelism"])
      errors.push(
        invalid("spec.completions", spec["completions"], "can only be modified in tandem with spec.parallelism"),
      );
  }
  for (const field of frozen) {
    if (field === "template" && before["suspend"] === true && !hasMember(objectIn(old, "status"), "startTime"))
      continue;
    if (!same(field)) errors.push(immutable(field));
  }
  return errors;
}

/** Pods of indexed jobs have their index in their host name, which must be a label. */
function validateHostname(job: JsonObject): readonly FieldError[] {
  const spec = objectIn(job, "spec");
  const completions = numberIn(spec, "completions") ?? 0;
  const name = textIn(objectIn(job, "metadata"), "name");
  const host = `${name}-${completions - 1}`;
  return spec["completionMode"] === "Indexed" && completions > 0 && name !== "" && labelProblems(host).length > 0
    ? [invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${host}`)]
    : [];
}

const longestCronName = 52;
const policies = ["Allow", "Forbid", "Replace"];

/** The rules of a CronJob. */
export function validateCronJob(job: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(job, "spec");
  const template = objectAt(spec, "jobTemplate", "spec");
  const policy = textIn(spec, "concurrencyPolicy");
  const name = textIn(objectIn(job, "metadata"), "name");
  const at = "spec.jobTemplate.spec";
  return [
    ...validateSchedule(textIn(spec, "schedule"), textIn(objectIn(old ?? {}, "spec"), "schedule"), spec["timeZone"]),
    ...notNegative(spec, "startingDeadlineSeconds", "spec"),
    ...(old !== undefined && objectIn(old, "spec")["timeZone"] === spec["timeZone"] ? [] : validateTimeZone(spec)),
    ...(policies.includes(policy) ? [] : [notSupported("spec.concurrencyPolicy", policy, policies)]),
    ...validateJobSpec(template, at),
    ...(hasMember(template, "selector")
      ? [invalid(`${at}.selector`, template["selector"], "`selector` will be auto-generated")]
      : []),
    ...(template["manualSelector"] === true ? [notSupported(`${at}.manualSelector`, true, ["nil", "false"])] : []),
    ...notNegative(spec, "successfulJobsHistoryLimit", "spec"),
    ...notNegative(spec, "failedJobsHistoryLimit", "spec"),
    ...(old === undefined && name.length > longestCronName
      ? [invalid("metadata.name", name, `must be no more than ${longestCronName} characters`)]
      : []),
  ];
}

function validateSchedule(schedule: string, before: string, zone: JsonValue | undefined): readonly FieldError[] {
  const field = "spec.schedule";
  if (schedule === "") return [required(field)];
  const parsed = parseSchedule(schedule);
  const errors = parsed.ok ? [] : [invalid(field, schedule, parsed.problem)];
  if (!schedule.includes("TZ")) return errors;
  if (!before.includes("TZ"))
    return [...errors, invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")];
  return zone === undefined
    ? errors
    : [...errors, invalid(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")];
}

function validateTimeZone(spec: JsonObject): readonly FieldError[] {
  const field = "spec.timeZone";
  const name = spec["timeZone"];
  if (typeof name !== "string") return [];
  if (name === "") return [invalid(field, name, "timeZone must be nil or non-empty string")];
  const unknown = invalid(field, name, `unknown time zone ${name}`);
  const wellFormed = name
    .split("/")
    .every((part) => /^[A-Za-z.\-_0-9+]{1,14}$/.test(part) && !part.startsWith("-") && part !== "." && part !== "..");
  if (!wellFormed) return [unknown];
  if (name.toLowerCase() === "local") {
    const explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    return name === "Local" ? [invalid(field, name, explicit)] : [invalid(field, name, explicit), unknown];
  }
  return timeZone(name) === undefined ? [unknown] : [];
}
