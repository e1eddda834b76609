import type { JsonObject, JsonValue } from "../../json.ts";
import { pods } from "../../apis/resources.ts";
import { forbidden, type FieldError } from "../../object/field-error.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { podPrinter } from "../printing/pod-printer.ts";
import { defineKind, specOf } from "./define-kind.ts";
import { mapList, objectIn, objectsIn, pickMembers, without } from "./json-parts.ts";
import { withAppArmorProfiles } from "./pod-app-armor.ts";
import { defaultPod, qosClassOf } from "./pod-defaults.ts";
import { validatePodSpec } from "./pod-validation.ts";

const changeable =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** The spec without what an update may change, to compare the rest. */
function fixedPart(spec: JsonObject): JsonObject {
  const withoutImages = (container: JsonObject): JsonObject => without(container, "image");
  const containers = mapList(mapList(spec, "containers", withoutImages), "initContainers", withoutImages);
  return without(
    containers,
    "activeDeadlineSeconds",
    "tolerations",
    "terminationGracePeriodSeconds",
    "schedulingGates",
  );
}

function keepsTolerations(next: JsonObject, old: JsonObject): boolean {
  const held: readonly JsonValue[] = objectsIn(next, "tolerations");
  return objectsIn(old, "tolerations").every((toleration) => held.some((other) => deepEqual(other, toleration)));
}

/** A bound pod says so at once. */
function scheduled(pod: JsonObject, now: string): JsonObject {
  const status = objectIn(pod, "status");
  const others = objectsIn(status, "conditions").filter(({ type }) => type !== "PodScheduled");
  const condition = { type: "PodScheduled", status: "True", lastTransitionTime: now };
  return { ...pod, status: { ...status, conditions: [...others, condition] } };
}

function validateUpdate(next: JsonObject, old: JsonObject): readonly FieldError[] {
  return deepEqual(fixedPart(next), fixedPart(old)) && keepsTolerations(next, old)
    ? []
    : [forbidden("spec", changeable)];
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

export const podKind = defineKind(pods, {
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
  defaults: defaultPod,
  onCreate: (pod, { now }) => {
    const spec = objectIn(pod, "spec");
    const conditions = objectsIn(spec, "schedulingGates").length === 0 ? {} : { conditions: [gatedCondition(now)] };
    return { ...withAppArmorProfiles(pod), status: { phase: "Pending", ...conditions, qosClass: qosClassOf(spec) } };
  },
  onUpdate: (next, old, endpoint, context) => {
    if (endpoint === "binding") return scheduled(next, context.now);
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
    return { ...next, metadata: { ...metadata, ...kept } };
  },
  validate: (pod, _context, old, endpoint) => {
    if (endpoint === "status" || endpoint === "binding") return [];
    const errors = validatePodSpec(objectIn(pod, "spec"), "spec");
    return old === undefined ? errors : [...errors, ...validateUpdate(objectIn(pod, "spec"), objectIn(old, "spec"))];
  },
  printer: podPrinter,
});
