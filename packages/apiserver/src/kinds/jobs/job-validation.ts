import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { invalid, notSupported, required, tooLong, type FieldError } from "@purser/kubernetes/object/field-error";
import { validateAnnotations, validateLabels } from "@purser/kubernetes/object/metadata-rules";
import { parseSchedule } from "./cron-schedule.ts";
import { validateGeneratedSelector, validateJobSelector } from "./job-selector.ts";
import { validateJobUpdate } from "./job-update.ts";
import { validateJobPolicies } from "./job-policy-validation.ts";
import { hasMember, numberIn, objectAt, objectIn, textIn } from "../decoding/json-parts.ts";
import { labelProblems, subdomainProblems } from "../names.ts";
import { notNegative, validatePodTemplate } from "../pods/pod-validation.ts";
import { timeZone } from "@purser/kubernetes/time-zone";

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

function* validateJobSpec(spec: JsonObject, path: string): Steps<readonly FieldError[]> {
  const pod = objectAt(spec, "template", "spec");
  const policy = textIn(pod, "restartPolicy");
  const field = `${path}.template.spec.restartPolicy`;
  return [
    ...counters.flatMap((key) => notNegative(spec, key, path)),
    ...validateCompletionMode(spec, path),
    ...validateJobPolicies(spec, path),
    ...validateReplacement(spec, path),
    ...validateManager(spec, `${path}.managedBy`),
    ...(textIn(spec, "managedBy").length > longestManagedBy ? [tooLong(`${path}.managedBy`, longestManagedBy)] : []),
    ...validateLabels(objectAt(spec, "template", "metadata")["labels"], `${path}.template.labels`),
    ...validateAnnotations(objectAt(spec, "template", "metadata")["annotations"], `${path}.template.annotations`),
    ...(yield* validatePodTemplate(objectIn(spec, "template"), `${path}.template`)).filter(
      (error) => error.field !== field || policy !== "",
    ),
    ...validateRestartPolicy(spec, policy, field),
  ];
}

function validateRestartPolicy(spec: JsonObject, policy: string, field: string): readonly FieldError[] {
  if (policy === "" || policy === "Always") return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupported(field, policy, ["OnFailure", "Never"])];
  const only = 'only "Never" is supported when podFailurePolicy is specified';
  return hasMember(spec, "podFailurePolicy") && policy !== "Never" ? [invalid(field, policy, only)] : [];
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** managedBy, the controller of the Job: a domain-prefixed path. */
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
  return [...errors, ...validateFailedIndexes(spec, path)];
}

const mostFailedIndexesOfMany = 10_000;

/** maxFailedIndexes, which has an upper bound for Jobs with many completions. */
function validateFailedIndexes(spec: JsonObject, path: string): readonly FieldError[] {
  const completions = numberIn(spec, "completions");
  const failed = numberIn(spec, "maxFailedIndexes");
  const parallelism = numberIn(spec, "parallelism");
  const field = `${path}.maxFailedIndexes`;
  const errors: FieldError[] = [];
  if (completions !== undefined && failed !== undefined && failed > completions)
    errors.push(invalid(field, failed, "must be less than or equal to completions"));
  if (failed !== undefined && failed > mostIndexedPods)
    errors.push(invalid(field, failed, `must be less than or equal to ${mostIndexedPods}`));
  if (completions === undefined || completions <= mostIndexedPods || !hasMember(spec, "backoffLimitPerIndex"))
    return errors;
  const limit = `must be less than or equal to ${mostFailedIndexesOfMany} when completions are above ${mostIndexedPods} and used with backoff limit per index`;
  if (failed === undefined)
    errors.push(required(field, `must be specified when completions is above ${mostIndexedPods}`));
  if (parallelism !== undefined && parallelism > mostFailedIndexesOfMany)
    errors.push(invalid(`${path}.parallelism`, parallelism, limit));
  if (failed !== undefined && failed > mostFailedIndexesOfMany) errors.push(invalid(field, failed, limit));
  return errors;
}

function validateReplacement(spec: JsonObject, path: string): readonly FieldError[] {
  const policy = textIn(spec, "podReplacementPolicy");
  const supported = hasMember(spec, "podFailurePolicy") ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return policy === "" || supported.includes(policy)
    ? []
    : [notSupported(`${path}.podReplacementPolicy`, policy, supported)];
}

/** Validates a Job, with pauses. On updates (`old` is set) the spec is validated both by itself and against the old one. */
export function* validateJob(job: JsonObject, old: JsonObject | undefined): Steps<readonly FieldError[]> {
  const spec = objectIn(job, "spec");
  const alone = [...(yield* validateJobSpec(spec, "spec")), ...validateJobSelector(spec)];
  const whole = [...validateGeneratedSelector(job, old), ...alone, ...validateHostname(job)];
  return old === undefined ? whole : [...whole, ...alone, ...validateJobUpdate(spec, old)];
}

/** The host name of a pod of an indexed Job includes its index and must be a DNS label. */
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

/** Validates a CronJob, with pauses. */
export function* validateCronJob(job: JsonObject, old: JsonObject | undefined): Steps<readonly FieldError[]> {
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
    ...(yield* validateJobSpec(template, at)),
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
