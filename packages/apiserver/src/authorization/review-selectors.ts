import { parseFieldSelector, parseLabelSelector } from "@purser/kubernetes/apis/selector";
import type { JsonObject } from "@purser/kubernetes/json";
import { hasMember, objectIn, objectsIn, textIn, textsIn } from "../kinds/decoding/json-parts.ts";

const operators = ["In", "NotIn", "Exists", "DoesNotExist"];

/** Field selector requirements support only In and NotIn with a single value. */
function isReadField(requirement: JsonObject): boolean {
  const operator = textIn(requirement, "operator");
  return (operator === "In" || operator === "NotIn") && textsIn(requirement, "values").length === 1;
}

function isReadLabel(requirement: JsonObject): boolean {
  return operators.includes(textIn(requirement, "operator"));
}

function fault(attributes: JsonObject, name: "fieldSelector" | "labelSelector"): string | undefined {
  if (!hasMember(attributes, name)) return undefined;
  const selector = objectIn(attributes, name);
  const place = `spec.resourceAttributes.${name}`;
  const requirements = objectsIn(selector, "requirements");
  const raw = textIn(selector, "rawSelector");
  const parse = name === "fieldSelector" ? parseFieldSelector : parseLabelSelector;
  if (requirements.length === 0) return raw === "" || parse(raw).ok ? undefined : `${place} ignored due to parse error`;
  const read = requirements.filter(name === "fieldSelector" ? isReadField : isReadLabel).length;
  if (read === requirements.length) return undefined;
  return `${place} ${read > 0 ? "partially ignored" : "ignored"} due to parse error`;
}

/** The text in a review's status about selector requirements that were ignored; empty when there are none. */
export function unreadSelectors(attributes: JsonObject): string {
  const faults = [fault(attributes, "fieldSelector"), fault(attributes, "labelSelector")];
  return faults.filter((text) => text !== undefined).join("; ");
}
