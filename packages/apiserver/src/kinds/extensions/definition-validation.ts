import type { JsonObject } from "@purser/kubernetes/json";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooMany,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { hasMember, objectAt, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { relativeNameProblems } from "../names.ts";
import { validateClientConfig } from "../admission/webhook-target.ts";
import { repetitions } from "../repetitions.ts";

function problemsOf(field: string, value: string): readonly FieldError[] {
  return relativeNameProblems(value).map((problem) => invalid(field, value, problem));
}

/** As {@link problemsOf}, for each name of a list. */
function* problemsOfEach(field: string, names: readonly string[]): Steps<readonly FieldError[]> {
  const strides = new Strides();
  const errors: FieldError[] = [];
  for (const [index, name] of names.entries()) {
    if (strides.isDue(workOfName)) yield;
    for (const error of problemsOf(`${field}[${index}]`, name)) errors.push(error);
  }
  return errors;
}

/** What the check of one name, column or path costs, in {@link Strides}. */
const workOfName = 4;

/** Validates `names` of a definition after defaulting, with pauses. */
export function* validateNames(names: JsonObject): Steps<readonly FieldError[]> {
  const path = "spec.names";
  const errors: FieldError[] = [];
  for (const key of ["plural", "singular"]) {
    const value = textIn(names, key);
    errors.push(...(value === "" ? [required(`${path}.${key}`)] : problemsOf(`${path}.${key}`, value)));
  }
  for (const key of ["kind", "listKind"]) {
    const value = textIn(names, key);
    if (value === "") errors.push(required(`${path}.${key}`));
    else
      for (const problem of relativeNameProblems(value.toLowerCase()))
        errors.push(invalid(`${path}.${key}`, value, `may have mixed case, but should otherwise match: ${problem}`));
  }
  for (const error of yield* problemsOfEach(`${path}.shortNames`, textsIn(names, "shortNames"))) errors.push(error);
  const listKind = textIn(names, "listKind");
  if (listKind !== "" && listKind === textIn(names, "kind"))
    errors.push(invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same"));
  for (const error of yield* problemsOfEach(`${path}.categories`, textsIn(names, "categories"))) errors.push(error);
  return errors;
}

/** The parts that have the same value in all versions, which error messages look for in `spec`. */
export function sharedParts(versions: readonly JsonObject[]): (part: string) => boolean {
  const [first] = versions;
  const known = new Map<string, boolean>();
  // A definition may have thousands of versions: they are compared once for all of them.
  return (part) => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const shared = versions.every((version) => deepEqual(version[part] ?? null, first?.[part] ?? null));
    known.set(part, shared);
    return shared;
  };
}

/** Validates all parts of versions except names and schemas. */
export function* validateVersionParts(
  spec: JsonObject,
  isShared: (part: string) => boolean,
): Steps<readonly FieldError[]> {
  const versions = objectsIn(spec, "versions");
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    yield;
    for (const error of yield* validateParts(version, index, isShared)) errors.push(error);
  }
  return errors;
}

function* validateParts(
  version: JsonObject,
  index: number,
  isShared: (part: string) => boolean,
): Steps<readonly FieldError[]> {
  const once = (part: string): string | undefined => {
    if (!isShared(part)) return `spec.versions[${index}]`;
    return index > 0 ? undefined : "spec";
  };
  const columns = once("additionalPrinterColumns");
  const scale = once("subresources");
  const fields = once("selectableFields");
  return [
    ...validateDeprecation(version, `spec.versions[${index}]`),
    ...(columns === undefined ? [] : yield* validateColumns(version, `${columns}.additionalPrinterColumns`)),
    ...(scale === undefined ? [] : validateScale(version, `${scale}.subresources.scale`)),
    ...(fields === undefined ? [] : yield* validateSelectableAt(fields, version, isShared("schema"))),
  ];
}

/** Selectable fields and schema must both be per version, or both be shared by all versions. */
function* validateSelectableAt(path: string, version: JsonObject, sharesSchema: boolean): Steps<readonly FieldError[]> {
  if (objectsIn(version, "selectableFields").length === 0) return [];
  const isShared = path === "spec";
  const holder = isShared ? version : objectIn(version, "schema");
  const standsThere = hasMember(holder, isShared ? "schema" : "openAPIV3Schema");
  if (standsThere && sharesSchema === isShared) return yield* validateSelectable(version, `${path}.selectableFields`);
  const detail = isShared
    ? "may only be set when validations.schema is included"
    : "may only be set when `version.schema.openAPIV3Schema` is not included";
  return [invalid(`${path}.selectableFields`, "", detail)];
}

const longestWarning = 256;

function validateDeprecation(version: JsonObject, path: string): readonly FieldError[] {
  if (!hasMember(version, "deprecationWarning")) return [];
  const field = `${path}.deprecationWarning`;
  const warning = textIn(version, "deprecationWarning");
  const errors: FieldError[] = [];
  if (version["deprecated"] !== true) errors.push(invalid(field, warning, "can only be set for deprecated versions"));
  if (Buffer.byteLength(warning) > longestWarning)
    errors.push(invalid(field, warning, `must be <= ${longestWarning} characters long`));
  if (warning === "") errors.push(invalid(field, warning, "must not be an empty string"));
  const control = /[^\P{C}]|[^\P{Z} ]/u.exec(warning);
  if (control !== null) {
    const at = Buffer.byteLength(warning.slice(0, control.index));
    errors.push(
      invalid(
        field,
        warning,
        `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
      ),
    );
  }
  return errors;
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function* validateColumns(version: JsonObject, path: string): Steps<readonly FieldError[]> {
  const strides = new Strides();
  const errors: FieldError[] = [];
  for (const [index, column] of objectsIn(version, "additionalPrinterColumns").entries()) {
    if (strides.isDue(workOfName)) yield;
    const at = `${path}[${index}]`;
    if (textIn(column, "name") === "") errors.push(required(`${at}.name`));
    const type = textIn(column, "type");
    const types = `must be one of ${columnTypes.join(",")}`;
    if (type === "") errors.push(required(`${at}.type`, types));
    else if (!columnTypes.includes(type)) errors.push(invalid(`${at}.type`, type, types));
    const format = textIn(column, "format");
    if (format !== "" && !columnFormats.includes(format))
      errors.push(invalid(`${at}.format`, format, `must be one of ${columnFormats.join(",")}`));
    errors.push(...validateSimplePath(textIn(column, "jsonPath"), `${at}.JSONPath`, []));
  }
  return errors;
}

/** `under`: the allowed roots of the path; any when empty. */
function validateSimplePath(given: string, field: string, under: readonly string[]): readonly FieldError[] {
  if (given === "") return [required(field)];
  if (!given.startsWith(".")) return [invalid(field, given, "must be a simple json path starting with .")];
  if (under.length === 0 || under.some((root) => given.startsWith(`${root}.`))) return [];
  const [first = "", second] = under;
  return [
    invalid(
      field,
      given,
      second === undefined
        ? `should be a json path under ${first}`
        : `should be a json path under either ${first} or ${second}`,
    ),
  ];
}

function validateScale(version: JsonObject, path: string): readonly FieldError[] {
  const scale = objectAt(version, "subresources", "scale");
  if (!hasMember(objectIn(version, "subresources"), "scale")) return [];
  const selector = textIn(scale, "labelSelectorPath");
  return [
    ...validateSimplePath(textIn(scale, "specReplicasPath"), `${path}.specReplicasPath`, [".spec"]),
    ...validateSimplePath(textIn(scale, "statusReplicasPath"), `${path}.statusReplicasPath`, [".status"]),
    ...(selector === "" ? [] : validateSimplePath(selector, `${path}.labelSelectorPath`, [".spec", ".status"])),
  ];
}

const mostFields = 8;
const selectableTypes = ["string", "boolean", "integer"];

function* validateSelectable(version: JsonObject, path: string): Steps<readonly FieldError[]> {
  const seen = new Set<string>();
  const schema = objectAt(version, "schema", "openAPIV3Schema");
  const strides = new Strides();
  const errors: FieldError[] = [];
  for (const [index, field] of objectsIn(version, "selectableFields").entries()) {
    const at = `${path}[${index}].jsonPath`;
    const given = textIn(field, "jsonPath");
    // A path of a megabyte has as many steps.
    if (strides.isDue(workOfName + given.length)) yield;
    const found = given === "" ? [required(at)] : validateSelected(given, at, schema);
    errors.push(...found);
    if (found.length > 0) continue;
    if (seen.has(given)) errors.push(duplicate(at, given));
    seen.add(given);
  }
  if (seen.size > mostFields) errors.push(tooMany(path, seen.size, mostFields));
  return errors;
}

function validateSelected(given: string, at: string, schema: JsonObject): readonly FieldError[] {
  const refuse = (why: string): readonly FieldError[] => [invalid(at, given, `is an invalid path: ${why}`)];
  if (given.includes("[")) return refuse("array notation is not allowed");
  const [before = "", ...steps] = given.split(".");
  if (before !== "") return refuse(`expected [ or . but got: ${before}`);
  let node = schema;
  for (const [depth, step] of steps.entries()) {
    const properties = objectIn(node, "properties");
    // Fields of ObjectMeta are not declared in the schema.
    if ((depth === 0 && step === "metadata") || !hasMember(properties, step))
      return refuse("does not refer to a valid field");
    node = objectIn(properties, step);
  }
  return selectableTypes.includes(textIn(node, "type"))
    ? []
    : [
        invalid(
          at,
          given,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      ];
}

const reviewVersions = ["v1", "v1beta1"];

/** Validates the conversion strategy and its webhook, with pauses. */
export function* validateConversion(conversion: JsonObject): Steps<readonly FieldError[]> {
  const path = "spec.conversion";
  const strategy = textIn(conversion, "strategy");
  const webhook = objectIn(conversion, "webhook");
  const versions = textsIn(webhook, "conversionReviewVersions");
  const configured = hasMember(webhook, "clientConfig");
  if (strategy === "") return [required(`${path}.strategy`)];
  if (strategy !== "None" && strategy !== "Webhook")
    return [notSupported(`${path}.strategy`, strategy, ["None", "Webhook"])];
  if (strategy === "None") {
    const why = "should not be set when strategy is not set to Webhook";
    return [
      ...(configured ? [forbidden(`${path}.webhookClientConfig`, why)] : []),
      ...(versions.length > 0 ? [forbidden(`${path}.conversionReviewVersions`, why)] : []),
    ];
  }
  return [
    ...(configured
      ? validateClientConfig(objectIn(webhook, "clientConfig"), `${path}.webhookClientConfig`)
      : [required(`${path}.webhookClientConfig`, "required when strategy is set to Webhook")]),
    ...(yield* validateReviewVersions(versions, `${path}.conversionReviewVersions`)),
  ];
}

function* validateReviewVersions(versions: readonly string[], path: string): Steps<readonly FieldError[]> {
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const repeated = repetitions(versions);
  yield;
  const strides = new Strides();
  for (const [index, version] of versions.entries()) {
    if (strides.isDue(workOfName)) yield;
    if (repeated.has(index)) errors.push(invalid(`${path}[${index}]`, version, "duplicate version"));
    errors.push(...problemsOf(`${path}[${index}]`, version));
  }
  if (!versions.some((version) => reviewVersions.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  return errors;
}
