import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { deployments, replicaSets } from "@purser/kubernetes/apis/resources";
import { invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { deepEqual, semanticEqual } from "@purser/kubernetes/object/semantic-equal";
import {
  controllerRevisionPrinter,
  deploymentPrinter,
  daemonSetPrinter,
  replicaSetPrinter,
  statefulSetPrinter,
} from "../../printing/workload-printers.ts";
import { nameWarnings, templateWarnings } from "../pods/pod-warnings.ts";
import { defineKind, specOf } from "../define-kind.ts";
import {
  hasMember,
  mapList,
  mapMember,
  numberIn,
  objectAt,
  objectIn,
  textIn,
  without,
  withDefaults,
} from "../decoding/json-parts.ts";
import { defaultTemplate } from "../pods/pod-defaults.ts";
import { controllerRevisions, daemonSets, statefulSets } from "../resource-types.ts";
import { validateDaemonSet, validateStatefulSet } from "./set-validation.ts";
import { validateWorkloadStatus } from "./workload-status-validation.ts";
import { validateHistory, validateStrategy, validateWorkload } from "./workload-validation.ts";

function defaultSpec(object: JsonObject, defaults: JsonObject): JsonObject {
  return mapMember(object, "spec", (spec) => mapMember(withDefaults(spec, defaults), "template", defaultTemplate));
}

function defaultDeployment(deployment: JsonObject): JsonObject {
  const filled = defaultSpec(deployment, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  return mapMember(filled, "spec", (spec) => {
    const strategy = withDefaults(objectIn(spec, "strategy"), { type: "RollingUpdate" });
    if (strategy["type"] !== "RollingUpdate") return { ...spec, strategy };
    const rollingUpdate = withDefaults(objectIn(strategy, "rollingUpdate"), { maxUnavailable: "25%", maxSurge: "25%" });
    return { ...spec, strategy: { ...strategy, rollingUpdate } };
  });
}

const podNames = "Pod names and hostnames";
const deploymentWords = { word: "deployment", unreadable: "invalid label selector" };

export const deploymentKind = defineKind(deployments, {
  shortNames: ["deploy"],
  categories: ["all"],
  status: true,
  scale: true,
  versioned: (deployment) => ({
    spec: objectIn(deployment, "spec"),
    annotations: objectIn(objectIn(deployment, "metadata"), "annotations"),
  }),
  statusTakes: "metadataWithoutLabels",
  defaults: defaultDeployment,
  *validateInSteps(deployment, _context, old, endpoint) {
    if (endpoint === "status") return validateWorkloadStatus("Deployment", deployment, old);
    return [
      ...(yield* validateWorkload(deployment, old, deploymentWords)),
      ...validateStrategy(objectIn(deployment, "spec")),
      ...validateHistory(objectIn(deployment, "spec")),
    ];
  },
  *warningsInSteps(deployment, old) {
    return [
      ...(old === undefined ? nameWarnings(deployment, podNames) : []),
      ...(yield* templateWarnings(deployment, old, ["spec", "template"])),
    ];
  },
  printer: deploymentPrinter,
});

export const replicaSetKind = defineKind(replicaSets, {
  shortNames: ["rs"],
  categories: ["all"],
  status: true,
  scale: true,
  versioned: specOf,
  defaults: (set) => defaultSpec(set, { replicas: 1 }),
  *validateInSteps(set, _context, old, endpoint) {
    return endpoint === "status"
      ? validateWorkloadStatus("ReplicaSet", set, old)
      : yield* validateWorkload(set, old, deploymentWords);
  },
  *warningsInSteps(set, old) {
    return [
      ...(old === undefined ? nameWarnings(set, podNames) : []),
      ...(yield* templateWarnings(set, old, ["spec", "template"])),
    ];
  },
  printer: replicaSetPrinter,
});

/** Claims are retained by default. */
function withRetention(spec: JsonObject): JsonObject {
  const given = objectIn(spec, "persistentVolumeClaimRetentionPolicy");
  const policyOf = (key: string): string => (textIn(given, key) === "" ? "Retain" : textIn(given, key));
  const policy = { ...given, whenDeleted: policyOf("whenDeleted"), whenScaled: policyOf("whenScaled") };
  return { ...spec, persistentVolumeClaimRetentionPolicy: policy };
}

function defaultStatefulSet(set: JsonObject): JsonObject {
  const filled = defaultSpec(set, {
    replicas: 1,
    podManagementPolicy: "OrderedReady",
    revisionHistoryLimit: 10,
    serviceName: "",
  });
  return mapMember(filled, "spec", (whole) => {
    const spec = withRetention(whole);
    const given = objectIn(whole, "updateStrategy");
    const strategy = withDefaults(given, { type: "RollingUpdate" });
    const isFilled = textIn(given, "type") === "" || hasMember(given, "rollingUpdate");
    const updateStrategy =
      strategy["type"] === "RollingUpdate" && isFilled
        ? { ...strategy, rollingUpdate: withDefaults(objectIn(strategy, "rollingUpdate"), { partition: 0 }) }
        : strategy;
    const claims = mapList(spec, "volumeClaimTemplates", (claim) => ({
      ...claim,
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      spec: withDefaults(objectIn(claim, "spec"), { volumeMode: "Filesystem" }),
      status: { phase: "Pending" },
    }));
    return { ...claims, updateStrategy };
  });
}

function hasMaxUnavailable(set: JsonObject): boolean {
  return hasMember(objectAt(set, "spec", "updateStrategy", "rollingUpdate"), "maxUnavailable");
}

/** maxUnavailable is behind a feature gate that is off by default: kube-apiserver drops it silently. */
function withoutMaxUnavailable(set: JsonObject): JsonObject {
  return mapMember(set, "spec", (spec) =>
    mapMember(spec, "updateStrategy", (strategy) =>
      mapMember(strategy, "rollingUpdate", (rolling) => without(rolling, "maxUnavailable")),
    ),
  );
}

export const statefulSetKind = defineKind(statefulSets, {
  nameRule: "label",
  shortNames: ["sts"],
  categories: ["all"],
  status: true,
  scale: true,
  versioned: specOf,
  defaults: defaultStatefulSet,
  onCreate: withoutMaxUnavailable,
  onUpdate: (next, old) => (hasMaxUnavailable(old) ? next : withoutMaxUnavailable(next)),
  *validateInSteps(set, _context, old, endpoint) {
    return endpoint === "status"
      ? validateWorkloadStatus("StatefulSet", set, old)
      : yield* validateStatefulSet(set, old);
  },
  *warningsInSteps(set, old) {
    return [
      ...(yield* templateWarnings(set, old, ["spec", "template"])),
      ...((numberIn(objectIn(set, "spec"), "revisionHistoryLimit") ?? 0) < 0
        ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
        : []),
    ];
  },
  printer: statefulSetPrinter,
});

const templateGeneration = "deprecated.daemonset.template.generation";

const templateGenerationOf = (set: JsonObject): string =>
  textIn(objectIn(objectIn(set, "metadata"), "annotations"), templateGeneration);

function withTemplateGeneration(set: JsonObject, generation: string): JsonObject {
  const metadata = objectIn(set, "metadata");
  return {
    ...set,
    metadata: { ...metadata, annotations: { ...objectIn(metadata, "annotations"), [templateGeneration]: generation } },
  };
}

function defaultDaemonSet(set: JsonObject): JsonObject {
  // The template generation is an int64 in Go and an annotation in the API, so it is always written.
  const given = templateGenerationOf(set);
  const whole = withTemplateGeneration(set, /^-?\d+$/.test(given) ? given : "0");
  const filled = defaultSpec(whole, { revisionHistoryLimit: 10 });
  return mapMember(filled, "spec", (spec) => {
    const strategy = withDefaults(objectIn(spec, "updateStrategy"), { type: "RollingUpdate" });
    const isRolling = strategy["type"] === "RollingUpdate";
    if (!isRolling && !isJsonObject(strategy["rollingUpdate"])) return { ...spec, updateStrategy: strategy };
    // Kubernetes' internal type has both numbers, so the zeros of a strategy that ignores them are stored.
    const maxUnavailable = isRolling ? 1 : 0;
    const rollingUpdate = withDefaults(objectIn(strategy, "rollingUpdate"), { maxUnavailable, maxSurge: 0 });
    return { ...spec, updateStrategy: { ...strategy, rollingUpdate } };
  });
}

export const daemonSetKind = defineKind(daemonSets, {
  shortNames: ["ds"],
  categories: ["all"],
  status: true,
  versioned: specOf,
  defaults: defaultDaemonSet,
  onCreate: (set) => withTemplateGeneration(set, "1"),
  onUpdate: (next, old, endpoint) => {
    if (endpoint !== "main") return next;
    const held = templateGenerationOf(old);
    const template = objectIn(objectIn(next, "spec"), "template");
    const changed = !semanticEqual(template, objectIn(objectIn(old, "spec"), "template"));
    const before = held === "" ? 0 : Number(held);
    return withTemplateGeneration(next, String(changed ? before + 1 : before));
  },
  *validateInSteps(set, _context, old, endpoint) {
    return endpoint === "status" ? validateWorkloadStatus("DaemonSet", set, old) : yield* validateDaemonSet(set, old);
  },
  // Warnings are repeated only when the template changes.
  *warningsInSteps(set, old) {
    return old !== undefined && templateGenerationOf(set) === templateGenerationOf(old)
      ? []
      : yield* templateWarnings(set, old, ["spec", "template"]);
  },
  printer: daemonSetPrinter,
});

/** An earlier template of a workload, used by `kubectl rollout undo`. */
export const controllerRevisionKind = defineKind(controllerRevisions, {
  validate: (revision, _context, old) => [
    ...((numberIn(revision, "revision") ?? 0) < 0
      ? [invalid("revision", revision["revision"], "must be greater than or equal to 0")]
      : []),
    ...(old === undefined ? validateRevisionData(revision) : []),
    ...(old === undefined || deepEqual(revision["data"], old["data"])
      ? []
      : [invalid("data", revision["data"] ?? null, "field is immutable")]),
  ],
  printer: controllerRevisionPrinter,
});

function validateRevisionData(revision: JsonObject): readonly FieldError[] {
  if (!hasMember(revision, "data")) return [required("data", "data is mandatory")];
  return isJsonObject(revision["data"]) ? [] : [required("data", "data must be a valid JSON object")];
}
