import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import {
  duplicate,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { internalText } from "../internal-text.ts";
import { indexesProblem } from "./job-indexes.ts";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { notNegative } from "../pods/pod-validation.ts";
import { repetitions } from "../repetitions.ts";

const mostRules = 20;
const mostExitCodes = 255;
const longestIndexes = 64 * 1024;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/** Validates podFailurePolicy and successPolicy of a Job. */
export function validateJobPolicies(spec: JsonObject, path: string): readonly FieldError[] {
  return [
    ...(hasMember(spec, "podFailurePolicy") ? validateFailurePolicy(spec, `${path}.podFailurePolicy.rules`) : []),
    ...(hasMember(spec, "successPolicy") ? validateSuccessPolicy(spec, `${path}.successPolicy`) : []),
  ];
}

/** Reports an empty value as required and an unknown one as unsupported. */
function oneOf(object: JsonObject, key: string, path: string, supported: readonly string[]): readonly FieldError[] {
  const value = textIn(object, key);
  const list = supported.map((one) => JSON.stringify(one)).join(" ");
  if (value === "") return [required(`${path}.${key}`, `valid values: [${list}]`)];
  return supported.includes(value) ? [] : [notSupported(`${path}.${key}`, value, supported)];
}

function validateFailurePolicy(spec: JsonObject, path: string): readonly FieldError[] {
  const rules = objectsIn(objectIn(spec, "podFailurePolicy"), "rules");
  const pod = objectAt(spec, "template", "spec");
  const containers = [...objectsIn(pod, "containers"), ...objectsIn(pod, "initContainers")].map(({ name }) => name);
  return [
    ...(rules.length > mostRules ? [tooMany(path, rules.length, mostRules)] : []),
    ...rules.flatMap((rule, index) => {
      const at = `${path}[${index}]`;
      const codes = hasMember(rule, "onExitCodes");
      const conditions = objectsIn(rule, "onPodConditions").length > 0;
      const needsIndex = rule["action"] === "FailIndex" && !hasMember(spec, "backoffLimitPerIndex");
      return [
        ...(needsIndex
          ? [invalid(`${at}.action`, "FailIndex", "requires the backoffLimitPerIndex to be set")]
          : oneOf(rule, "action", at, actions)),
        ...(codes ? validateExitCodes(objectIn(rule, "onExitCodes"), containers, `${at}.onExitCodes`) : []),
        ...validateConditions(objectsIn(rule, "onPodConditions"), `${at}.onPodConditions`),
        ...(codes && conditions
          ? [invalid(at, undefined, "specifying both OnExitCodes and OnPodConditions is not supported")]
          : []),
        ...(codes || conditions
          ? []
          : [invalid(at, undefined, "specifying one of OnExitCodes and OnPodConditions is required")]),
      ];
    }),
  ];
}

function validateConditions(patterns: readonly JsonObject[], path: string): readonly FieldError[] {
  return [
    ...(patterns.length > mostRules ? [tooMany(path, patterns.length, mostRules)] : []),
    ...patterns.flatMap((pattern, index) => {
      const at = `${path}[${index}]`;
      const type = textIn(pattern, "type");
      return [
        ...labelKeyFaults(type).map((problem) => invalid(`${at}.type`, type, problem)),
        ...oneOf(pattern, "status", at, statuses),
      ];
    }),
  ];
}

function validateExitCodes(
  rule: JsonObject,
  containers: readonly (JsonValue | undefined)[],
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [...oneOf(rule, "operator", path, operators)];
  if (hasMember(rule, "containerName") && !containers.includes(rule["containerName"])) {
    const known = "must be one of the container or initContainer names in the pod template";
    errors.push(invalid(`${path}.containerName`, rule["containerName"], known));
  }
  const list = rule["values"];
  const values = Array.isArray(list) ? (list as readonly JsonValue[]) : [];
  const at = `${path}.values`;
  if (values.length === 0) errors.push(invalid(at, list ?? null, "at least one value is required"));
  if (values.length > mostExitCodes) errors.push(tooMany(at, values.length, mostExitCodes));
  const repeated = repetitions(values);
  for (const [index, code] of values.entries()) {
    const where = `${at}[${index}]`;
    if (rule["operator"] === "In" && code === 0) errors.push(invalid(where, code, "must not be 0 for the In operator"));
    if (repeated.has(index)) errors.push(duplicate(where, code));
  }
  const isOrdered = values.every((code, index) => index === 0 || Number(values[index - 1]) <= Number(code));
  return isOrdered ? errors : [...errors, invalid(at, values, "must be ordered")];
}

function validateSuccessPolicy(spec: JsonObject, path: string): readonly FieldError[] {
  const policy = objectIn(spec, "successPolicy");
  const rules = objectsIn(policy, "rules");
  if (spec["completionMode"] !== "Indexed")
    return [
      { ...invalid(path, policy, "requires indexed completion mode"), badText: internalText("SuccessPolicy", policy) },
    ];
  const at = `${path}.rules`;
  const completions = numberIn(spec, "completions") ?? 0;
  return [
    ...(rules.length === 0
      ? [required(at, "at least one rules must be specified when the successPolicy is specified")]
      : []),
    ...(rules.length > mostRules ? [tooMany(at, rules.length, mostRules)] : []),
    ...rules.flatMap((rule, index) => validateSuccessRule(rule, completions, `${at}[${index}]`)),
  ];
}

function validateSuccessRule(rule: JsonObject, completions: number, path: string): readonly FieldError[] {
  const [hasCount, hasIndexes] = [hasMember(rule, "succeededCount"), hasMember(rule, "succeededIndexes")];
  const errors: FieldError[] = [];
  if (!hasCount && !hasIndexes)
    errors.push(required(path, "at least one of succeededCount or succeededIndexes must be specified"));
  const text = textIn(rule, "succeededIndexes");
  const problem = hasIndexes ? indexesProblem(text, completions) : undefined;
  if (text.length > longestIndexes) errors.push(tooLong(`${path}.succeededIndexes`, longestIndexes));
  if (problem !== undefined)
    errors.push(invalid(`${path}.succeededIndexes`, text, `error parsing succeededIndexes: ${problem}`));
  const count = numberIn(rule, "succeededCount");
  if (count === undefined) return errors;
  const at = `${path}.succeededCount`;
  errors.push(...notNegative(rule, "succeededCount", path));
  const within = (most: number, what: string): void => {
    if (count > most) errors.push(invalid(at, count, `must be less than or equal to ${most} (${what})`));
  };
  within(completions, "the number of specified completions");
  if (hasIndexes)
    within(problem === undefined ? countOf(text) : 0, "the number of indexes in the specified succeededIndexes field");
  return errors;
}

/** Number of indexes in a well-formed list. */
function countOf(text: string): number {
  if (text === "") return 0;
  return text.split(",").reduce((sum, part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return sum + last - first + 1;
  }, 0);
}
