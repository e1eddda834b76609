import { formatTime } from "@purser/kubernetes/clock";
import type { JsonObject } from "@purser/kubernetes/json";
import { asJson } from "@purser/kubernetes/apis/object";
import { pods } from "@purser/kubernetes/apis/resources";
import { podPrinter } from "../../printing/pod-printer.ts";
import { defineKind, specOf } from "../define-kind.ts";
import type { DeletionRule } from "../deletion-rule.ts";
import {
  mapMember,
  numberIn,
  objectIn,
  objectsIn,
  pickMembers,
  textIn,
  withDefaults,
  without,
} from "../decoding/json-parts.ts";
import { withAppArmorProfiles } from "./pod-app-armor.ts";
import { withTolerations } from "./pod-admission.ts";
import { defaultPod, qosClassOf } from "./pod-defaults.ts";
import { nameWarnings, podWarnings } from "./pod-warnings.ts";
import { validatePodUpdate } from "./pod-update.ts";
import { validatePodStatus, withAddresses } from "./pod-status-validation.ts";
import { validateNewPod, validatePodAlone, validatePodSpec, validatePodAnnotations } from "./pod-validation.ts";

/** Sets PodScheduled to True on a pod that has a node. */
function scheduled(pod: JsonObject, now: string): JsonObject {
  const status = objectIn(pod, "status");
  const others = objectsIn(status, "conditions").filter(({ type }) => type !== "PodScheduled");
  const condition = { type: "PodScheduled", status: "True", lastTransitionTime: now };
  return { ...pod, status: { ...status, conditions: [...others, condition] } };
}

/** A negative terminationGracePeriodSeconds becomes 1. */
function withGrace(pod: JsonObject): JsonObject {
  return mapMember(pod, "spec", (spec) =>
    (numberIn(spec, "terminationGracePeriodSeconds") ?? 0) < 0 ? { ...spec, terminationGracePeriodSeconds: 1 } : spec,
  );
}

/** Priority was set at admission; an update that omits it keeps it. */
function withPriority(spec: JsonObject, before: JsonObject): JsonObject {
  return withDefaults(spec, pickMembers(before, "priority", "preemptionPolicy"));
}

function gatedCondition(now: string): JsonObject {
  return {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
}

const deletion: DeletionRule = {
  graceSeconds(object, asked) {
    const pod = asJson(object);
    const spec = objectIn(pod, "spec");
    const phase = textIn(objectIn(pod, "status"), "phase");
    if (textIn(spec, "nodeName") === "" || phase === "Succeeded" || phase === "Failed") return 0;
    const seconds = asked ?? numberIn(spec, "terminationGracePeriodSeconds") ?? 30;
    return seconds < 0 ? 1 : seconds;
  },
  // The last state has deletionTimestamp and deletionGracePeriodSeconds 0, also when the pod is deleted immediately.
  last(object, now) {
    const { metadata } = object;
    if (metadata.deletionTimestamp !== undefined) return object;
    const times = { deletionTimestamp: formatTime(now), deletionGracePeriodSeconds: 0 };
    return { ...object, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1, ...times } };
  },
};

export const podKind = defineKind(pods, {
  deletion,
  shortNames: ["po"],
  categories: ["all"],
  status: true,
  statusReset: [
    ["metadata", "deletionTimestamp"],
    ["metadata", "ownerReferences"],
  ],
  deleteReturnsObject: true,
  subresources: [
    { name: "binding", kind: { group: "", version: "v1", kind: "Binding" }, verbs: ["create"] },
    { name: "eviction", kind: { group: "policy", version: "v1", kind: "Eviction" }, verbs: ["create"] },
  ],
  versioned: specOf,
  defaults: (pod) => mapMember(defaultPod(pod), "status", withAddresses),
  onCreate: (pod, { now }) => {
    const spec = objectIn(withGrace(pod), "spec");
    const conditions = objectsIn(spec, "schedulingGates").length === 0 ? {} : { conditions: [gatedCondition(now)] };
    return {
      ...withAppArmorProfiles(withGrace(pod)),
      status: { phase: "Pending", ...conditions, qosClass: qosClassOf(spec) },
    };
  },
  onUpdate: (next, old, endpoint, context) => {
    if (endpoint === "binding") return scheduled(next, context.now);
    if (endpoint === "main")
      return mapMember(next, "spec", (spec) => withPriority(withTolerations(spec), objectIn(old, "spec")));
    if (endpoint !== "status") return next;
    const kept = pickMembers(
      objectIn(old, "metadata"),
      "ownerReferences",
      "deletionTimestamp",
      "deletionGracePeriodSeconds",
    );
    const metadata = without(
      objectIn(next, "metadata"),
      "ownerReferences",
      "deletionTimestamp",
      "deletionGracePeriodSeconds",
    );
    // qosClass defaults to the old value: old kubelets omit it.
    const status = withDefaults(objectIn(next, "status"), pickMembers(objectIn(old, "status"), "qosClass"));
    return { ...next, metadata: { ...metadata, ...kept }, status };
  },
  *validateInSteps(pod, _context, old, endpoint) {
    if (endpoint === "status") return validatePodStatus(pod, old ?? {});
    if (endpoint === "binding") return [];
    const spec = objectIn(pod, "spec");
    const errors = [
      ...validatePodAnnotations(objectIn(pod, "metadata"), spec, "metadata"),
      ...(yield* validatePodSpec(spec, "spec", true)),
      ...validatePodAlone(spec),
    ];
    return [...errors, ...(old === undefined ? validateNewPod(spec) : validatePodUpdate(spec, objectIn(old, "spec")))];
  },
  *warningsInSteps(pod, old) {
    return old === undefined
      ? [...nameWarnings(pod, "the Pod's hostname"), ...(yield* podWarnings(withGrace(pod), ""))]
      : [];
  },
  printer: podPrinter,
});
