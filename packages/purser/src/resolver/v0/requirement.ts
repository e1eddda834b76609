import type { Property } from "../../catalog/catalog-index.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { gvkOf } from "./entry.ts";
import { parseConstraint } from "./olm-constraint.ts";
import type { Predicate } from "./predicate.ts";
import { packagePredicate } from "./predicate.ts";

/** A requirement of a bundle that cannot be read; `message` is upstream's text. */
export interface RequirementProblem {
  readonly kind: "requirement";
  readonly property: Property;
  readonly message: string;
}

const jsonKinds = (value: JsonValue): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;

function objectProblem(property: Property): Result<never, RequirementProblem> {
  const message = `json: cannot unmarshal ${jsonKinds(property.value)} into Go value of type struct`;
  return failed({ kind: "requirement", property, message });
}

/** The predicate of a requirement property; undefined for properties that require nothing. */
export function requirementOf(property: Property): Result<Predicate | undefined, RequirementProblem> {
  const { type, value } = property;
  const text = (name: string): string => {
    const found = isJsonObject(value) ? member(value, name) : undefined;
    return typeof found === "string" ? found : "";
  };
  switch (type) {
    case "olm.gvk.required": {
      const api = gvkOf(value);
      return api === undefined ? objectProblem(property) : done({ kind: "api", api });
    }
    case "olm.package.required": {
      if (!isJsonObject(value)) return objectProblem(property);
      const predicate = packagePredicate(text("packageName"), text("versionRange"));
      return predicate.ok ? predicate : failed({ kind: "requirement", property, message: predicate.problem });
    }
    case "olm.label.required":
      return isJsonObject(value) ? done({ kind: "label", label: text("label") }) : objectProblem(property);
    case "olm.constraint": {
      const predicate = parseConstraint(value);
      return predicate.ok ? predicate : failed({ kind: "requirement", property, message: predicate.problem });
    }
    default:
      return done(undefined);
  }
}

/**
 * All predicates of a bundle in the order of its properties; the first unreadable one is the answer. With `twice`, required
 * APIs and packages come again after all others, as a registry states them for OLM (see `translatedDependencies`),
 * unless that would change nothing because no requirement of another kind follows them.
 */
export function requirementsOf(
  properties: readonly Property[],
  twice = false,
): Result<readonly Predicate[], RequirementProblem> {
  const found: Predicate[] = [];
  const again: Predicate[] = [];
  let overtaken = false;
  for (const property of properties) {
    // Most properties require nothing.
    if (property.type === "olm.package" || property.type === "olm.gvk") continue;
    const predicate = requirementOf(property);
    if (!predicate.ok) return predicate;
    if (predicate.value === undefined) continue;
    found.push(predicate.value);
    if (property.type === "olm.gvk.required" || property.type === "olm.package.required") again.push(predicate.value);
    else overtaken ||= again.length > 0;
  }
  return done(twice && overtaken ? [...found, ...again] : found);
}
