import { labelKeyFaults, labelValueFaults } from "../../apis/label-syntax.ts";
import type { JsonObject } from "../../json.ts";
import { type FieldError, forbidden, invalid, required } from "../../object/field-error.ts";
import { validateLabels } from "../../object/metadata-rules.ts";
import { objectsIn, textIn, textsIn } from "./json-parts.ts";

/** What is wrong with a label selector. */
export function validateLabelSelector(selector: JsonObject, path: string): readonly FieldError[] {
  return [
    ...validateLabels(selector["matchLabels"], `${path}.matchLabels`),
    ...objectsIn(selector, "matchExpressions").flatMap((requirement, index) =>
      validateRequirement(requirement, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function validateRequirement(requirement: JsonObject, path: string): readonly FieldError[] {
  const [key, operator, values] = [
    textIn(requirement, "key"),
    textIn(requirement, "operator"),
    textsIn(requirement, "values"),
  ];
  return [
    ...operatorErrors(operator, values, path),
    ...labelKeyFaults(key).map((fault) => invalid(`${path}.key`, key, fault)),
    ...values.flatMap((value, index) =>
      labelValueFaults(value).map((fault) => invalid(`${path}.values[${index}]`, value, fault)),
    ),
  ];
}

function operatorErrors(operator: string, values: readonly string[], path: string): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}
