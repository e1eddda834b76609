import type { JsonObject } from "@purser/kubernetes/json";
import { leases } from "@purser/kubernetes/apis/resources";
import { type FieldError, invalid } from "@purser/kubernetes/object/field-error";
import { ageCell, cell, nameCell, printer } from "../printing/printer.ts";
import { defineKind } from "./define-kind.ts";
import { mapMember, numberIn, objectIn, textIn, without } from "./decoding/json-parts.ts";

/** Fields behind a feature gate that is off by default: kube-apiserver drops them silently. */
function withoutElection(lease: JsonObject): JsonObject {
  return mapMember(lease, "spec", (spec) => without(spec, "strategy", "preferredHolder"));
}

export const leaseKind = defineKind(leases, {
  createsOnPut: true,
  requiresResourceVersion: true,
  onCreate: withoutElection,
  onUpdate: (next) => withoutElection(next),
  validate: (lease) => {
    const spec = objectIn(lease, "spec");
    const errors: FieldError[] = [];
    const duration = numberIn(spec, "leaseDurationSeconds");
    if (duration !== undefined && duration <= 0) {
      errors.push(invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"));
    }
    const transitions = numberIn(spec, "leaseTransitions");
    if (transitions !== undefined && transitions < 0) {
      errors.push(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
    }
    return errors;
  },
  printer: printer([nameCell, cell("Holder", (lease) => textIn(objectIn(lease, "spec"), "holderIdentity")), ageCell]),
});
