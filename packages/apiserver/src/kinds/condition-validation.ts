import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, notSupported, required, tooLong, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectsIn, textIn } from "./decoding/json-parts.ts";

const longestReason = 1024;
const longestMessage = 32 * 1024;
const reasonText =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' " +
  "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** Validates status conditions of type `metav1.Condition`. */
export function validateConditions(status: JsonObject, path: string): readonly FieldError[] {
  const firsts = new Map<string, number>();
  return objectsIn(status, "conditions").flatMap((condition, index) => {
    const at = `${path}[${index}]`;
    const type = textIn(condition, "type");
    const first = firsts.get(type);
    if (first === undefined) firsts.set(type, index);
    return [
      ...(first === undefined
        ? []
        : [{ type: "FieldValueDuplicate", field: `${at}.type`, detail: "", badValue: type } as const]),
      ...validateCondition(condition, at),
    ];
  });
}

function validateCondition(condition: JsonObject, at: string): readonly FieldError[] {
  const [type, status, reason] = [textIn(condition, "type"), textIn(condition, "status"), textIn(condition, "reason")];
  const generation = numberIn(condition, "observedGeneration") ?? 0;
  return [
    ...labelKeyFaults(type).map((fault) => invalid(`${at}.type`, type, fault)),
    ...(["False", "True", "Unknown"].includes(status)
      ? []
      : [notSupported(`${at}.status`, status, ["False", "True", "Unknown"])]),
    ...(generation < 0
      ? [invalid(`${at}.observedGeneration`, generation, "must be greater than or equal to zero")]
      : []),
    ...(hasMember(condition, "lastTransitionTime") ? [] : [required(`${at}.lastTransitionTime`)]),
    ...(reason === ""
      ? [required(`${at}.reason`)]
      : /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)
        ? []
        : [invalid(`${at}.reason`, reason, reasonText)]),
    ...(reason.length > longestReason ? [tooLong(`${at}.reason`, longestReason)] : []),
    ...(textIn(condition, "message").length > longestMessage ? [tooLong(`${at}.message`, longestMessage)] : []),
  ];
}
