import { labelKeyFaults, labelValueFaults } from "@purser/kubernetes/apis/label-syntax";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { type FieldError, forbidden, invalid, required } from "@purser/kubernetes/object/field-error";
import { validateLabels } from "@purser/kubernetes/object/metadata-rules";
import { goJson } from "@purser/kubernetes/text/go-json";
import { objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";

/** An error that quotes the selector with its fields in declaration order. */
export function invalidSelector(field: string, selector: JsonValue, detail: string): FieldError {
  return { ...invalid(field, selector, detail), badText: isJsonObject(selector) ? selectorText(selector) : "null" };
}

/** The JSON of a selector as Kubernetes writes it. */
export function selectorText(selector: JsonObject): string {
  const { matchLabels, matchExpressions } = selector;
  const parts = [
    ...(isJsonObject(matchLabels) ? [`"matchLabels":${goJson(matchLabels)}`] : []),
    ...(Array.isArray(matchExpressions) ? [`"matchExpressions":${goJson(matchExpressions)}`] : []),
  ];
  return `{${parts.join(",")}}`;
}

/** Validates a label selector. */
export function validateLabelSelector(selector: JsonObject, path: string): readonly FieldError[] {
  return [
    ...validateLabels(selector["matchLabels"], `${path}.matchLabels`),
    ...objectsIn(selector, "matchExpressions").flatMap((requirement, index) =>
      validateRequirement(requirement, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

/** Validates one requirement of a label selector; callers can allow further operators. */
export function validateRequirement(
  requirement: JsonObject,
  path: string,
  takesUnknown = false,
): readonly FieldError[] {
  const key = textIn(requirement, "key");
  return [
    ...validateOperator(requirement, path, takesUnknown),
    ...labelKeyFaults(key).map((fault) => invalid(`${path}.key`, key, fault)),
    ...textsIn(requirement, "values").flatMap((value, index) =>
      labelValueFaults(value).map((fault) => invalid(`${path}.values[${index}]`, value, fault)),
    ),
  ];
}

/** Validates a requirement's operator and its number of values. */
export function validateOperator(requirement: JsonObject, path: string, takesUnknown = false): readonly FieldError[] {
  const [operator, values] = [textIn(requirement, "operator"), textsIn(requirement, "values")];
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
      return takesUnknown ? [] : [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}
