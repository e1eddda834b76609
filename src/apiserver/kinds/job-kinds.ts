import type { JsonObject } from "../../json.ts";
import { jobs } from "../../apis/resources.ts";
import { cronJobPrinter, jobPrinter } from "../printing/workload-printers.ts";
import type { WriteContext } from "./built-in-kind.ts";
import { nameWarnings, templateWarnings } from "./pod-warnings.ts";
import { defineKind, specOf } from "./define-kind.ts";
import { validateCronJob, validateJob } from "./job-validation.ts";
import { hasMember, mapMember, objectIn, textIn, without, withDefaults } from "./json-parts.ts";
import { defaultTemplate } from "./pod-defaults.ts";
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
  if (uid === "") return job;
  if (spec["manualSelector"] === true) {
    const labels = objectIn(objectIn(objectIn(spec, "template"), "metadata"), "labels");
    const copied = !hasMember(metadata, "labels") && Object.keys(labels).length > 0;
    return copied ? { ...job, metadata: { ...metadata, labels } } : job;
  }
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

export const jobKind = defineKind(jobs, {
  categories: ["all"],
  status: true,
  defaultPropagation: "Orphan",
  versioned: specOf,
  defaults: (job) => mapMember(job, "spec", defaultJobSpec),
  onCreate: labelJob,
  validate: (job, _context, old, endpoint) => (endpoint === "status" ? [] : validateJob(job, old)),
  warnings: (job, old) => [
    ...(old === undefined ? nameWarnings(job, "Pod names and hostnames") : []),
    ...templateWarnings(job, old, ["spec", "template"]),
  ],
  printer: jobPrinter,
});

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
  validate: (job, _context, old, endpoint) => (endpoint === "status" ? [] : validateCronJob(job, old)),
  warnings: (job, old) => [
    ...(old === undefined ? nameWarnings(job, "Pod names and hostnames") : []),
    ...templateWarnings(job, old, ["spec", "jobTemplate", "spec", "template"]),
    ...(old !== undefined && textIn(objectIn(job, "spec"), "schedule").includes("TZ")
      ? [
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
        ]
      : []),
  ],
  printer: cronJobPrinter,
});
