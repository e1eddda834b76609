import { knownKeys } from "@purser/kubernetes/known-keys";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { duplicate, forbidden, invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { compareQuantities, parseQuantity } from "@purser/kubernetes/object/quantity";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { goJson } from "@purser/kubernetes/text/go-json";
import { hasMember, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import {
  fitsScope,
  isInteger,
  isOvercommitted,
  validateContainerResource,
  validateQuotaName,
  validateResourceName,
} from "../resource-names.ts";
import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";

/** Negative, zero or positive where `a` is less than, equal to or greater than `b`; zero when one is not a quantity. */
export function quantityOrder(a: string, b: string): number {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left.ok && right.ok ? compareQuantities(left.value, right.value) : 0;
}

function isWhole(text: string): boolean {
  const read = parseQuantity(text);
  return !read.ok || read.value.nanos % 1_000_000_000n === 0n;
}

/** Validates a quantity: not negative, and whole where the resource is counted in whole units. */
export function validateQuantity(name: string, value: string, path: string): readonly FieldError[] {
  return [
    ...(quantityOrder(value, "0") < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : []),
    ...(isInteger(name) && !isWhole(value) ? [invalid(path, value, "must be an integer")] : []),
  ];
}

const scopes = [
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
  "VolumeAttributesClass",
];
const contrary = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

/** The resources of a quota that do not fit each scope: few names are limited to some scopes, however many there are. */
function misfitsOf(spec: JsonObject): (scope: string) => number {
  const limited = Object.keys(objectIn(spec, "hard")).filter((name) => scopes.some((scope) => !fitsScope(scope, name)));
  return (scope) => limited.filter((name) => !fitsScope(scope, name)).length;
}

function* validateScopes(spec: JsonObject): Steps<readonly FieldError[]> {
  const given = textsIn(spec, "scopes");
  // An error shows all scopes and there may be one for each: they share the list.
  const error = (detail: string): FieldError => invalid("spec.scopes", given, detail);
  const [unsupported, misfit] = [error("unsupported scope"), error("unsupported scope applied to resource")];
  const misfits = misfitsOf(spec);
  const strides = new Strides();
  const errors: FieldError[] = [];
  for (const scope of given) {
    if (strides.isDue(workOfAmount)) yield;
    if (!scopes.includes(scope)) errors.push(unsupported);
    for (let count = misfits(scope); count > 0; count--) errors.push(misfit);
  }
  for (const pair of contrary)
    if (pair.every((scope) => given.includes(scope))) errors.push(error("conflicting scopes"));
  return errors;
}

const withoutValues = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];

/** Validates scopeSelector, with pauses. */
function* validateScopeSelector(spec: JsonObject): Steps<readonly FieldError[]> {
  const path = "spec.scopeSelector.matchExpressions";
  const requirements = objectsIn(objectIn(spec, "scopeSelector"), "matchExpressions");
  const names = new Set(requirements.map((requirement) => textIn(requirement, "scopeName")));
  const misfit: FieldError = {
    ...invalid(path, spec["scopeSelector"], "unsupported scope applied to resource"),
    badText: selectorText(requirements),
  };
  const misfits = misfitsOf(spec);
  const strides = new Strides();
  const errors: FieldError[] = [];
  const refuse = (key: string, value: JsonValue, detail: string): void => {
    errors.push(invalid(`${path}.${key}`, value, detail));
  };
  for (const requirement of requirements) {
    if (strides.isDue(workOfAmount)) yield;
    const [scope, operator, values] = [
      textIn(requirement, "scopeName"),
      textIn(requirement, "operator"),
      textsIn(requirement, "values"),
    ];
    if (!scopes.includes(scope)) refuse("scopeName", scope, "unsupported scope");
    for (let count = misfits(scope); count > 0; count--) errors.push(misfit);
    if (withoutValues.includes(scope) && operator !== "Exists")
      refuse(
        "operator",
        operator,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      );
    errors.push(...operatorErrors(operator, values, path));
  }
  for (const pair of contrary)
    if (pair.every((scope) => names.has(scope)))
      errors.push({ ...invalid(path, null, "conflicting scopes"), badText: goJson(spec["scopes"] ?? null) });
  return errors;
}

function operatorErrors(operator: string, values: readonly string[], path: string): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [
            required(
              `${path}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [
            invalid(
              `${path}.values`,
              [...values],
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

/** The struct as Go prints it. */
function selectorText(requirements: readonly JsonObject[]): string {
  const shown = requirements.map((requirement) => {
    const values = textsIn(requirement, "values");
    const held = values.length === 0 ? "null" : goJson([...values]);
    return `{"ScopeName":${goJson(textIn(requirement, "scopeName"))},"Operator":${goJson(textIn(requirement, "operator"))},"Values":${held}}`;
  });
  return `{"MatchExpressions":[${shown.join(",")}]}`;
}

/** To validate an entry takes as long as to look at so many members. */
const workOfAmount = 16;

function* validateAmounts(amounts: JsonObject, field: string, strides: Strides): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (const name of knownKeys(amounts)) {
    if (strides.isDue(workOfAmount)) yield;
    const path = `${field}[${name}]`;
    errors.push(...validateQuotaName(name, path), ...validateQuantity(name, textIn(amounts, name), path));
  }
  return errors;
}

/** Validates `hard` and `used` of a quota's status. */
export function* validateQuotaStatus(quota: JsonObject): Steps<readonly FieldError[]> {
  const status = objectIn(quota, "status");
  const strides = new Strides();
  return [
    ...(yield* validateAmounts(objectIn(status, "hard"), "status.hard", strides)),
    ...(yield* validateAmounts(objectIn(status, "used"), "status.used", strides)),
  ];
}

/** Validates a ResourceQuota, whose scopes are immutable. */
export function* validateQuota(quota: JsonObject, old: JsonObject | undefined): Steps<readonly FieldError[]> {
  const spec = objectIn(quota, "spec");
  const hard = objectIn(spec, "hard");
  const given = textsIn(spec, "scopes");
  const before = old === undefined ? given : textsIn(objectIn(old, "spec"), "scopes");
  const sorted = (list: readonly string[]): readonly string[] => [...new Set(list)].toSorted();
  return [
    ...(yield* validateAmounts(hard, "spec.hard", new Strides())),
    ...(yield* validateScopes(spec)),
    ...(yield* validateScopeSelector(spec)),
    ...(deepEqual([...sorted(given)], [...sorted(before)])
      ? []
      : [invalid("spec.scopes", spec["scopes"] ?? null, "field is immutable")]),
  ];
}

const limitTypes = ["Container", "PersistentVolumeClaim", "Pod"];

function validateLimitType(type: string, path: string): readonly FieldError[] {
  const faults = labelKeyFaults(type);
  if (faults.length > 0) return faults.map((fault) => invalid(path, type, fault));
  return type.includes("/") || limitTypes.includes(type)
    ? []
    : [invalid(path, type, "must be a standard limit type or fully qualified")];
}

function validateBounds(limit: JsonObject, name: string, path: string): readonly FieldError[] {
  const isPod = textIn(limit, "type") === "Pod";
  const of = (key: string): string | undefined =>
    hasMember(objectIn(limit, key), name) ? textIn(objectIn(limit, key), name) : undefined;
  const [min, max, ratio] = [of("min"), of("max"), of("maxLimitRequestRatio")];
  const [fallback, request] = isPod ? [undefined, undefined] : [of("default"), of("defaultRequest")];
  const isMore = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && quantityOrder(a, b) > 0;
  const errors: FieldError[] = [];
  const refuse = (key: string, value: string | undefined, detail: string): void => {
    errors.push(invalid(`${path}.${key}[${name}]`, value ?? "", detail));
  };
  if (isMore(min, max)) refuse("min", min, `min value ${min} is greater than max value ${max}`);
  if (isMore(min, request))
    refuse("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  if (isMore(request, max))
    refuse("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  if (isMore(request, fallback))
    refuse(
      "defaultRequest",
      request,
      `default request value ${request} is greater than default limit value ${fallback}`,
    );
  if (isMore(min, fallback)) refuse("default", min, `min value ${min} is greater than default value ${fallback}`);
  if (isMore(fallback, max)) refuse("default", max, `default value ${fallback} is greater than max value ${max}`);
  if (isMore("1", ratio)) refuse("maxLimitRequestRatio", ratio, `ratio ${ratio} is less than 1`);
  const widest = ratioOf(max, min);
  if (ratio !== undefined && widest !== undefined && (ratioOf(ratio, "1") ?? 0) > widest)
    refuse("maxLimitRequestRatio", ratio, `ratio ${ratio} is greater than max/min = ${goFloat(widest)}`);
  if (
    !isOvercommitted(name) &&
    fallback !== undefined &&
    request !== undefined &&
    quantityOrder(fallback, request) !== 0
  )
    refuse(
      "defaultRequest",
      request,
      `default value ${fallback} must equal to defaultRequest value ${request} in ${name}`,
    );
  return errors;
}

function ratioOf(a: string | undefined, b: string | undefined): number | undefined {
  const [left, right] = [parseQuantity(a ?? ""), parseQuantity(b ?? "")];
  return left.ok && right.ok ? Number(left.value.nanos) / Number(right.value.nanos) : undefined;
}

/** The number as Go's `%f` prints it. */
function goFloat(value: number): string {
  if (Number.isFinite(value)) return value.toFixed(6);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

function* validateLimit(
  limit: JsonObject,
  path: string,
  seen: Set<string>,
  strides: Strides,
): Steps<readonly FieldError[]> {
  const type = textIn(limit, "type");
  const isTaken = seen.has(type);
  seen.add(type);
  const nameErrors = type === "Pod" || type === "Container" ? validateContainerResource : validateResourceName;
  const named = type === "Pod" ? ["max", "min"] : ["max", "min", "default", "defaultRequest"];
  const keys = [...named, "maxLimitRequestRatio"];
  const names = new Set(keys.flatMap((key) => Object.keys(objectIn(limit, key))));
  const nameProblems: FieldError[] = [];
  for (const key of keys)
    for (const name of Object.keys(objectIn(limit, key))) {
      if (strides.isDue(workOfAmount)) yield;
      nameProblems.push(...nameErrors(name, `${path}.${key}[${name}]`));
    }
  const boundProblems: FieldError[] = [];
  for (const name of names) {
    if (strides.isDue(workOfAmount)) yield;
    boundProblems.push(...validateBounds(limit, name, path));
  }
  const hasStorage = ["min", "max"].some((key) => hasMember(objectIn(limit, key), "storage"));
  return [
    ...validateLimitType(type, `${path}.type`),
    ...(isTaken ? [duplicate(`${path}.type`, type)] : []),
    ...nameProblems,
    ...(type === "Pod"
      ? ["default", "defaultRequest"]
          .filter((key) => Object.keys(objectIn(limit, key)).length > 0)
          .map((key) => forbidden(`${path}.${key}`, "may not be specified when `type` is 'Pod'"))
      : []),
    ...(type === "PersistentVolumeClaim" && !hasStorage
      ? [required(`${path}.limits`, "either minimum or maximum storage value is required, but neither was provided")]
      : []),
    ...boundProblems,
  ];
}

/** Validates a LimitRange. */
export function* validateLimitRange(range: JsonObject): Steps<readonly FieldError[]> {
  const seen = new Set<string>();
  const strides = new Strides();
  const errors: FieldError[] = [];
  for (const [index, limit] of objectsIn(objectIn(range, "spec"), "limits").entries()) {
    const found = yield* validateLimit(limit, `spec.limits[${index}]`, seen, strides);
    // There may be more than one call takes as arguments.
    for (const error of found) errors.push(error);
  }
  return errors;
}
