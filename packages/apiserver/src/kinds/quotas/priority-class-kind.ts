import { forbidden, invalid, notSupported, required } from "@purser/kubernetes/object/field-error";
import { ageCell, cell, nameCell, printer } from "../../printing/printer.ts";
import { defineKind } from "../define-kind.ts";
import { numberIn, objectIn, textIn, withDefaults } from "../decoding/json-parts.ts";
import { priorityClasses } from "../resource-types.ts";

const highestPriority = 1_000_000_000;
const preemptionPolicies = ["PreemptLowerPriority", "Never"];

export const priorityClassKind = defineKind(priorityClasses, {
  shortNames: ["pc"],
  versioned: () => null,
  defaults: (priority) => withDefaults(priority, { preemptionPolicy: "PreemptLowerPriority" }),
  validate: (priority, _context, old) => {
    const [value, policy] = [numberIn(priority, "value") ?? 0, textIn(priority, "preemptionPolicy")];
    if (old !== undefined)
      return [
        ...((numberIn(old, "value") ?? 0) === value ? [] : [forbidden("value", "may not be changed in an update.")]),
        ...(textIn(old, "preemptionPolicy") === policy
          ? []
          : [invalid("preemptionPolicy", policy, "field is immutable")]),
      ];
    return [
      ...(value > highestPriority && !textIn(objectIn(priority, "metadata"), "name").startsWith("system-")
        ? [forbidden("value", `maximum allowed value of a user defined priority is ${highestPriority}`)]
        : []),
      ...(policy === ""
        ? [required("preemptionPolicy")]
        : preemptionPolicies.includes(policy)
          ? []
          : [notSupported("preemptionPolicy", policy, preemptionPolicies)]),
    ];
  },
  printer: printer([
    nameCell,
    cell("Value", (priority) => numberIn(priority, "value") ?? 0, { type: "integer" }),
    cell("Global-Default", (priority) => priority["globalDefault"] === true, { type: "boolean" }),
    ageCell,
    cell("PreemptionPolicy", (priority) => textIn(priority, "preemptionPolicy")),
  ]),
});
