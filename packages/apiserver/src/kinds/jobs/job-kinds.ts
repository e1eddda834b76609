import { isJsonObject, member, type JsonObject } from "@purser/kubernetes/json";
import { jobs } from "@purser/kubernetes/apis/resources";
import { cronJobPrinter, jobPrinter } from "../../printing/workload-printers.ts";
import { nameWarnings, templateWarnings } from "../pods/pod-warnings.ts";
import { defineKind, specOf } from "../define-kind.ts";
import type { DeletionRule } from "../deletion-rule.ts";
import { ownLabel, ownLabels } from "./job-selector.ts";
import { validateJobStatus } from "./job-status-validation.ts";
import { validateCronJob, validateJob } from "./job-validation.ts";
import { hasMember, mapList, mapMember, objectAt, objectIn, textIn, withDefaults } from "../decoding/json-parts.ts";
import { defaultTemplate } from "../pods/pod-defaults.ts";
import { cronJobs } from "../resource-types.ts";

const mostRetries = 2 ** 31 - 1;

function defaultJobSpec(spec: JsonObject): JsonObject {
  // Without completions and parallelism a Job runs one pod; with parallelism alone it is a work queue.
  const counts =
    hasMember(spec, "completions") || hasMember(spec, "parallelism")
      ? { parallelism: 1 }
      : { parallelism: 1, completions: 1 };
  const filled = withDefaults(spec, {
    ...counts,
    backoffLimit: hasMember(spec, "backoffLimitPerIndex") ? mostRetries : 6,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: hasMember(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed",
  });
  const policed = mapMember(filled, "podFailurePolicy", defaultFailurePolicy);
  return mapMember(policed, "template", (held) => defaultTemplate({ ...held, spec: objectIn(held, "spec") }));
}

/** A rule's pod condition without status means status True. */
function defaultFailurePolicy(policy: JsonObject): JsonObject {
  return mapList(policy, "rules", (rule) =>
    mapList(rule, "onPodConditions", (pattern) =>
      textIn(pattern, "status") === "" ? { ...pattern, status: "True" } : pattern,
    ),
  );
}

/**
 * A Job without labels gets its template's map itself (as in kube-apiserver), so labels added to one appear in the
 * other.
 */
function withLabels(job: JsonObject): JsonObject {
  const metadata = objectIn(job, "metadata");
  const labels = objectIn(objectAt(job, "spec", "template", "metadata"), "labels");
  return Object.keys(objectIn(metadata, "labels")).length > 0 || Object.keys(labels).length === 0
    ? job
    : { ...job, metadata: { ...metadata, labels } };
}

/**
 * Adds the generated selector and labels; user-set values under the same keys are kept, and validation refuses them.
 */
function tieJob(job: JsonObject): JsonObject {
  const metadata = objectIn(job, "metadata");
  const uid = textIn(metadata, "uid");
  const spec = objectIn(job, "spec");
  if (uid === "" || spec["manualSelector"] === true) return job;
  const template = objectIn(spec, "template");
  const templateMetadata = objectIn(template, "metadata");
  const given = member(templateMetadata, "labels");
  const labels = withDefaults(isJsonObject(given) ? given : {}, ownLabels(textIn(metadata, "name"), uid));
  const isShared = given !== undefined && member(metadata, "labels") === given;
  return {
    ...job,
    metadata: isShared ? { ...metadata, labels } : metadata,
    spec: {
      ...spec,
      selector: {
        ...objectIn(spec, "selector"),
        matchLabels: withDefaults(objectAt(spec, "selector", "matchLabels"), { [ownLabel]: uid }),
      },
      template: { ...template, metadata: { ...templateMetadata, labels } },
    },
  };
}

const deletion: DeletionRule = {
  warning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
};

export const jobKind = defineKind(jobs, {
  deletion,
  categories: ["all"],
  status: true,
  defaultPropagation: "Orphan",
  versioned: specOf,
  defaults: (job) => withLabels(mapMember(job, "spec", defaultJobSpec)),
  asRead: withLabels,
  onCreate: tieJob,
  *validateInSteps(job, _context, old, endpoint) {
    return endpoint === "status" ? validateJobStatus(job, old ?? {}) : yield* validateJob(job, old);
  },
  *warningsInSteps(job, old) {
    return [
      ...(old === undefined ? nameWarnings(job, "Pod names and hostnames") : []),
      ...(yield* templateWarnings(job, old, ["spec", "template"])),
    ];
  },
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
  *validateInSteps(job, _context, old, endpoint) {
    return endpoint === "status" ? [] : yield* validateCronJob(job, old);
  },
  *warningsInSteps(job, old) {
    return [
      ...(old === undefined ? nameWarnings(job, "Pod names and hostnames") : []),
      ...(yield* templateWarnings(job, old, ["spec", "jobTemplate", "spec", "template"])),
      ...(old !== undefined && textIn(objectIn(job, "spec"), "schedule").includes("TZ")
        ? [
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
          ]
        : []),
    ];
  },
  printer: cronJobPrinter,
});
