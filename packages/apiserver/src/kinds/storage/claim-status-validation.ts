import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, objectIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { quantityOrder } from "../quotas/quota-validation.ts";

const resizeStates = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** The only native resource of a claim is `storage`. */
function validateName(name: string, path: string): readonly FieldError[] {
  const faults = labelKeyFaults(name);
  if (faults.length > 0) return faults.map((fault) => invalid(path, name, fault));
  const isNative = !name.includes("/") || name.includes("kubernetes.io/");
  return isNative && name !== "storage" ? [notSupported(path, name, ["storage"])] : [];
}

/** A negative size is refused; the error quotes it as a number. */
function validateSize(value: string, path: string): readonly FieldError[] {
  return quantityOrder(value, "0") < 0
    ? [invalid(path, Number(value) || value, "must be a valid resource quantity")]
    : [];
}

/** Validates a claim's status on updates. */
export function validateClaimStatus(claim: JsonObject): readonly FieldError[] {
  const status = objectIn(claim, "status");
  const [states, allocated] = [objectIn(status, "allocatedResourceStatuses"), objectIn(status, "allocatedResources")];
  const capacity = objectIn(status, "capacity");
  const at = "status.allocatedResourceStatuses";
  return [
    ...(textsIn(objectIn(claim, "spec"), "accessModes").length === 0 ? [required("Spec.accessModes")] : []),
    ...Object.keys(capacity).flatMap((name) => validateSize(textIn(capacity, name), `status.capacity[${name}]`)),
    ...Object.keys(states).flatMap((name) => [
      ...validateName(name, at),
      ...(resizeStates.includes(textIn(states, name)) ? [] : [notSupported(at, name, resizeStates)]),
    ]),
    ...Object.keys(allocated).flatMap((name) => {
      const faults = validateName(name, "status.allocatedResources");
      return faults.length > 0 ? faults : validateSize(textIn(allocated, name), `status.allocatedResources[${name}]`);
    }),
  ];
}

/** The phase of a new claim is Pending. */
export function withPhase(claim: JsonObject): JsonObject {
  const status = objectIn(claim, "status");
  return hasMember(status, "phase") && textIn(status, "phase") !== ""
    ? claim
    : { ...claim, status: { ...status, phase: "Pending" } };
}
