import type { JsonObject } from "../../json.ts";
import { jobs } from "../../apis/resources.ts";
import { invalid, notSupported, required, type FieldError } from "../../object/field-error.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { cronJobPrinter, jobPrinter } from "../printing/workload-printers.ts";
import type { WriteContext } from "./built-in-kind.ts";
import { templateWarnings } from "./pod-warnings.ts";
import { defineKind, specOf } from "./define-kind.ts";
import { hasMember, mapMember, objectAt, objectIn, textIn, without, withDefaults } from "./json-parts.ts";
import { defaultTemplate } from "./pod-defaults.ts";
import { notNegative, validatePodSpec } from "./pod-validation.ts";
import { cronJobs } from "./resource-types.ts";

function defaultJobSpec(spec: JsonObject): JsonObject {
  // Without either number a job runs one pod; with parallelism alone it is a work queue.
  const counts =
    hasMember(spec, "completions") || hasMember(spec, "parallelism")
      ? { parallelism: 1 }
      : { parallelism: 1, completions: 1 };
  const filled = withDefaults(spec, {
    ...counts,
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: hasMember(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed",
  });
  const template = mapMember(filled, "template", (held) => {
    const given = objectIn(held, "spec");
    const out = defaultTemplate({ ...held, spec: given });
    // A job's pods must name their restart policy: the pod default would be refused.
    return hasMember(given, "restartPolicy") ? out : mapMember(out, "spec", (pod) => without(pod, "restartPolicy"));
  });
  return template;
}

/** Ties pods to this very job: selector, pod labels, and the job's own labels when its template had none to copy. */
function labelJob(job: JsonObject, _context: WriteContext): JsonObject {
  const metadata = objectIn(job, "metadata");
  const uid = textIn(metadata, "uid");
  const spec = objectIn(job, "spec");
  if (spec["manualSelector"] === true || uid === "") return job;
  const name = textIn(metadata, "name");
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const template = objectIn(spec, "template");
  const templateMetadata = objectIn(template, "metadata");
  const selector = objectIn(spec, "selector");
  const hadLabels = hasMember(metadata, "labels");
  const podLabels = { ...objectIn(templateMetadata, "labels"), ...labels };
  return {
    ...job,
    metadata: hadLabels ? metadata : { ...metadata, labels: podLabels },
    spec: {
      ...spec,
      selector: {
        ...selector,
        matchLabels: { ...objectIn(selector, "matchLabels"), "batch.kubernetes.io/controller-uid": uid },
      },
      template: { ...template, metadata: { ...templateMetadata, labels: podLabels } },
    },
  };
}

function validateJobSpec(spec: JsonObject, path: string): readonly FieldError[] {
  const pod = objectAt(spec, "template", "spec");
  const policy = textIn(pod, "restartPolicy");
  const field = `${path}.template.spec.restartPolicy`;
  return [
    ...["parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"].flatMap(
      (key) => notNegative(spec, key, path),
    ),
    ...validatePodSpec(pod, `${path}.template.spec`).filter((error) => error.field !== field),
    ...(policy === "" || policy === "Always"
      ? [required(field, 'valid values: "OnFailure", "Never"')]
      : ["OnFailure", "Never"].includes(policy)
        ? []
        : [notSupported(field, policy, ["OnFailure", "Never"])]),
  ];
}

function validateJob(job: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(job, "spec");
  const errors = [...validateJobSpec(spec, "spec")];
  if (old === undefined) return errors;
  const before = objectIn(old, "spec");
  for (const field of ["completions", "selector", "template", "completionMode", "podFailurePolicy"]) {
    if (field === "template" && before["suspend"] === true && !hasMember(objectIn(old, "status"), "startTime"))
      continue;
    if (!deepEqual(spec[field], before[field]))
      errors.push(invalid(`spec.${field}`, spec[field], "field is immutable"));
  }
  return errors;
}

export const jobKind = defineKind(jobs, {
  categories: ["all"],
  status: true,
  defaultPropagation: "Orphan",
  versioned: specOf,
  defaults: (job) => mapMember(job, "spec", defaultJobSpec),
  onCreate: labelJob,
  validate: (job, _context, old, endpoint) => (endpoint === "status" ? [] : validateJob(job, old)),
  printer: jobPrinter,
});

function validateCronJob(spec: JsonObject): readonly FieldError[] {
  const policy = textIn(spec, "concurrencyPolicy");
  return [
    ...validateSchedule(textIn(spec, "schedule")),
    ...notNegative(spec, "startingDeadlineSeconds", "spec"),
    ...(["Allow", "Forbid", "Replace"].includes(policy)
      ? []
      : [notSupported("spec.concurrencyPolicy", policy, ["Allow", "Forbid", "Replace"])]),
    ...notNegative(spec, "successfulJobsHistoryLimit", "spec"),
    ...notNegative(spec, "failedJobsHistoryLimit", "spec"),
  ];
}

function validateSchedule(schedule: string): readonly FieldError[] {
  if (schedule === "") return [required("spec.schedule")];
  if (schedule.startsWith("@")) return [];
  const fields = schedule.split(/\s+/).filter((field) => field !== "");
  return fields.length === 5
    ? []
    : [invalid("spec.schedule", schedule, `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`)];
}

export const cronJobKind = defineKind(cronJobs, {
  shortNames: ["cj"],
  categories: ["all"],
  status: true,
  versioned: specOf,
  defaults: (job) =>
    mapMember(job, "spec", (spec) =>
      mapMember(
        withDefaults(spec, {
          concurrencyPolicy: "Allow",
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
        }),
        "jobTemplate",
        (template) =>
          mapMember(template, "spec", (held) =>
            mapMember(held, "template", (pods) =>
              mapMember(pods, "spec", (pod) => objectIn(defaultTemplate({ spec: pod }), "spec")),
            ),
          ),
      ),
    ),
  validate: (job, _context, _old, endpoint) => {
    if (endpoint === "status") return [];
    const spec = objectIn(job, "spec");
    return [
      ...validateCronJob(spec),
      ...validateJobSpec(objectAt(spec, "jobTemplate", "spec"), "spec.jobTemplate.spec"),
    ];
  },
  warnings: (job, old) => templateWarnings(job, old, ["spec", "jobTemplate", "spec", "template"]),
  printer: cronJobPrinter,
});
