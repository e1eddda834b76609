import type { CelProgram } from "@purser/kubernetes/cel/cel";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { VersionRange } from "../../version-range.ts";
import { parseBlangRange } from "../../version-range.ts";
import type { Property } from "../../catalog/catalog-index.ts";
import { celVariables, variablesOf } from "./cel-properties.ts";
import type { Entry, GroupVersionKind } from "./entry.ts";
import { isOfPackage, versionsOf } from "./entry.ts";

/** A question about one bundle. */
export type Predicate =
  | { readonly kind: "api"; readonly api: GroupVersionKind }
  | { readonly kind: "package"; readonly name: string; readonly range: VersionRange }
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "cel"; readonly program: CelProgram; readonly rule: string; readonly message: string }
  | { readonly kind: "all" | "any" | "not"; readonly of: readonly Predicate[] };

/** Bundles of a package in a range; the problem is upstream's text. */
export function packagePredicate(name: string, rangeText: string): Result<Predicate, string> {
  const range = parseBlangRange(rangeText);
  return range.ok ? done({ kind: "package", name, range: range.value }) : failed(range.problem.message);
}

/**
 * A rule may cost this much on one bundle before it counts as not matching: hundreds of times what rules in the wild cost, and
 * few milliseconds, since nothing can pause inside of it.
 */
const celCost = 100_000;

const celUnits = 16;

export function matches(predicate: Predicate, entry: Entry): boolean {
  switch (predicate.kind) {
    case "api": {
      const { group, version, kind } = predicate.api;
      for (const api of entry.facts.apis)
        if (api.kind === kind && api.group === group && api.version === version) return true;
      return false;
    }
    case "package": {
      if (!isOfPackage(entry, predicate.name)) return false;
      const { own, stated } = versionsOf(entry);
      const includes = predicate.range.includes.bind(predicate.range);
      return stated.some(includes) || (own !== undefined && includes(own));
    }
    case "label":
      return hasLabel(entry.properties, predicate.label);
    case "cel":
      return passes(predicate.program, celVariables(entry));
    case "all":
      return predicate.of.every((part) => matches(part, entry));
    case "any":
      return predicate.of.some((part) => matches(part, entry));
    case "not":
      return !predicate.of.some((part) => matches(part, entry));
  }
}

/**
 * Whether a bundle with these properties has a label or passes a rule in CEL.
 * @param maxCost of the rule, which a bundle does not pass beyond it
 */
export function isShownBy(
  predicate: Extract<Predicate, { readonly kind: "label" | "cel" }>,
  properties: readonly Property[],
  maxCost = celCost,
): boolean {
  return predicate.kind === "label"
    ? hasLabel(properties, predicate.label)
    : passes(predicate.program, variablesOf(properties), maxCost);
}

function hasLabel(properties: readonly Property[], label: string): boolean {
  return properties.some(
    ({ type, value }) => type === "olm.label" && isJsonObject(value) && (member(value, "label") ?? "") === label,
  );
}

function passes(program: CelProgram, variables: Parameters<CelProgram["evaluate"]>[0], maxCost = celCost): boolean {
  const result = program.evaluate(variables, { maxCost });
  return result.ok && result.value.value === true;
}

/** Units of work of a look at one bundle; a rule of CEL costs more than a comparison. */
export function costOf(predicate: Predicate): number {
  switch (predicate.kind) {
    case "api":
    case "package":
    case "label":
      return 1;
    case "cel":
      return celUnits;
    case "all":
    case "any":
    case "not":
      return predicate.of.reduce((sum, part) => sum + costOf(part), 0);
  }
}

const joints = { all: " and ", any: " or ", not: " and not " } as const;

/** OLM's wording; note that the first part under a `not` bears no "not". */
export function formatPredicate(predicate: Predicate): string {
  switch (predicate.kind) {
    case "api":
      return `providing an API with group: ${predicate.api.group}, version: ${predicate.api.version}, kind: ${predicate.api.kind}`;
    case "package":
      return `with package: ${predicate.name} and with version in range: ${predicate.range.text}`;
    case "label":
      return `with label: ${predicate.label}`;
    case "cel":
      return `with constraint: "${predicate.rule}" and message: "${predicate.message}"`;
    case "all":
    case "any":
    case "not":
      return predicate.of.map(formatPredicate).join(joints[predicate.kind]);
  }
}

/** Where bundles that satisfy a predicate can be found without looking at every bundle. */
export type Places =
  | { readonly kind: "everywhere" }
  | {
      readonly kind: "some";
      readonly apis: readonly GroupVersionKind[];
      readonly packages: readonly string[];
    };

const everywhere: Places = { kind: "everywhere" };

/** Every bundle that satisfies the predicate provides one of the APIs or belongs to one of the packages named. */
export function placesOf(predicate: Predicate): Places {
  switch (predicate.kind) {
    case "api":
      return { kind: "some", apis: [predicate.api], packages: [] };
    case "package":
      return { kind: "some", apis: [], packages: [predicate.name] };
    case "label":
    case "cel":
    case "not":
      return everywhere;
    case "all": {
      const bounded = predicate.of.map(placesOf).filter((places) => places.kind === "some");
      return bounded.find((places) => places.apis.length === 0) ?? bounded[0] ?? everywhere;
    }
    case "any": {
      const apis: GroupVersionKind[] = [];
      const packages: string[] = [];
      for (const places of predicate.of.map(placesOf)) {
        if (places.kind === "everywhere") return everywhere;
        apis.push(...places.apis);
        packages.push(...places.packages);
      }
      return { kind: "some", apis, packages };
    }
  }
}
