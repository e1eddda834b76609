import { labelKeyFaults } from "../../apis/label-syntax.ts";
import type { JsonObject } from "../../json.ts";
import { pods } from "../../apis/resources.ts";
import { forbidden, invalid, type FieldError } from "../../object/field-error.ts";
import { deepEqual, semanticEqual } from "../../object/semantic-equal.ts";
import { podPrinter } from "../printing/pod-printer.ts";
import { defineKind, specOf } from "./define-kind.ts";
import {
  mapList,
  mapMember,
  numberIn,
  objectIn,
  objectsIn,
  pickMembers,
  textIn,
  withDefaults,
  without,
} from "./json-parts.ts";
import { withAppArmorProfiles } from "./pod-app-armor.ts";
import { withTolerations } from "./pod-admission.ts";
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
  return without(containers, "activeDeadlineSeconds", "tolerations", "schedulingGates");
}

/** Whether every toleration is still there; for how long it tolerates may change. */
function keepsTolerations(next: JsonObject, old: JsonObject): boolean {
  const lasting = (toleration: JsonObject): JsonObject => without(toleration, "tolerationSeconds");
  const held = objectsIn(next, "tolerations").map(lasting);
  return objectsIn(old, "tolerations").every((one) => held.some((other) => deepEqual(other, lasting(one))));
}

/** A bound pod says so at once. */
function scheduled(pod: JsonObject, now: string): JsonObject {
  const status = objectIn(pod, "status");
  const others = objectsIn(status, "conditions").filter(({ type }) => type !== "PodScheduled");
  const condition = { type: "PodScheduled", status: "True", lastTransitionTime: now };
  return { ...pod, status: { ...status, conditions: [...others, condition] } };
}

const mostSeconds = 2 ** 31 - 1;

function validateUpdate(next: JsonObject, old: JsonObject): readonly FieldError[] {
  for (const key of ["containers", "initContainers"])
    if (objectsIn(next, key).length !== objectsIn(old, key).length)
      return [forbidden(`spec.${key}`, "pod updates may not add or remove containers")];
  const errors: FieldError[] = [];
  const field = "spec.activeDeadlineSeconds";
  const [deadline, before] = [numberIn(next, "activeDeadlineSeconds"), numberIn(old, "activeDeadlineSeconds")];
  if (deadline !== undefined && (deadline < 0 || deadline > mostSeconds))
    return [invalid(field, deadline, `must be between 0 and ${mostSeconds}, inclusive`)];
  if (deadline !== undefined && before !== undefined && before < deadline)
    return [invalid(field, deadline, "must be less than or equal to previous value")];
  if (deadline === undefined && before !== undefined)
    errors.push(invalid(field, null, "must not update from a positive integer to nil value"));
  if (!keepsTolerations(next, old))
    errors.push(forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"));
  if (!semanticEqual(fixedPart(next), fixedPart(old))) errors.push(forbidden("spec", changeable));
  return errors;
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

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

function validateStatus(status: JsonObject, old: JsonObject): readonly FieldError[] {
  return [
    ...objectsIn(status, "conditions").flatMap((condition, index) => {
      const type = textIn(condition, "type");
      return systemConditions.includes(type)
        ? []
        : labelKeyFaults(type).map((fault) => invalid(`status.conditions[${index}].Type`, type, fault));
    }),
    ...(textIn(status, "qosClass") === textIn(old, "qosClass")
      ? []
      : [invalid("status.qosClass", textIn(status, "qosClass"), "field is immutable")]),
  ];
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
    if (endpoint === "main") return mapMember(next, "spec", withTolerations);
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
    // A kubelet of old did not send it.
    const status = withDefaults(objectIn(next, "status"), pickMembers(objectIn(old, "status"), "qosClass"));
    return { ...next, metadata: { ...metadata, ...kept }, status };
  },
  validate: (pod, _context, old, endpoint) => {
    if (endpoint === "status") return validateStatus(objectIn(pod, "status"), objectIn(old ?? {}, "status"));
    if (endpoint === "binding") return [];
    const errors = validatePodSpec(objectIn(pod, "spec"), "spec");
    return old === undefined ? errors : [...errors, ...validateUpdate(objectIn(pod, "spec"), objectIn(old, "spec"))];
  },
  printer: podPrinter,
});
