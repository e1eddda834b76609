import { digitsOf, isJsonObject, type JsonValue, member } from "../json.ts";
import { knownKeys } from "../known-keys.ts";
import { type Steps, Strides } from "../steps.ts";
import { isWide } from "../text/json-pieces.ts";
import { compareQuantities, parseQuantity } from "./quantity.ts";

/** JSON equality: order of members is ignored, undefined members are absent. Shared subtrees are not compared. */
export function deepEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) if (!deepEqual(a[index], b[index])) return false;
    return true;
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return sameDigits(a, b);
  let own = 0;
  for (const key of Object.keys(a)) {
    const left = a[key];
    if (left === undefined) continue;
    own++;
    const right = member(b, key);
    if (right === undefined || (left !== right && !deepEqual(left, right))) return false;
  }
  const others = Object.keys(b);
  if (others.length === own) return true;
  for (const key of others) if (b[key] !== undefined) own--;
  return own === 0;
}

/** Values in a value that are compared without a pause, which takes a third of the time. */
const narrow = 8_192;
/** What comparing those costs at most, in members that are compared one by one. */
const narrowWork = 2_048;

/** As {@link deepEqual}, with pauses. Neither may change any more. */
export function* deepEqualInSteps(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  strides = new Strides(),
): Steps<boolean> {
  if (a === b) return true;
  if (!isWide(a, narrow) && !isWide(b, narrow)) {
    if (strides.isDue(narrowWork)) yield;
    return deepEqual(a, b);
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) {
      if (strides.isDue()) yield;
      if (!(yield* deepEqualInSteps(a[index], b[index], strides))) return false;
    }
    return true;
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return sameDigits(a, b);
  let own = 0;
  for (const key of knownKeys(a)) {
    const left = member(a, key);
    if (left === undefined) continue;
    own++;
    if (strides.isDue()) yield;
    const right = member(b, key);
    if (left !== right && !(yield* deepEqualInSteps(left, right, strides))) return false;
  }
  let others = 0;
  for (const key of knownKeys(b)) {
    if (member(b, key) !== undefined) others++;
    if (strides.isDue()) yield;
  }
  return own === others;
}

/** Compares two integers that are kept as digits. */
function sameDigits(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const digits = digitsOf(a);
  return digits !== undefined && digits === digitsOf(b);
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).every((key) => member(value, key) === undefined);
}

/**
 * Equality of two decoded objects: absent, null and empty lists are equal. Empty maps are absent in decoded objects and
 * quantities are canonical, so an object without members is a struct, which differs from an absent one.
 */
export function decodedEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const isNone = (value: JsonValue | undefined): boolean =>
    value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (a === b || (isNone(a) && isNone(b))) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item: JsonValue, index) => decodedEqual(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return sameDigits(a, b);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) =>
    decodedEqual(member(a, key), member(b, key)),
  );
}

/** Members whose values are quantities. */
const quantityMaps = new Set(["limits", "requests", "capacity", "allocatable", "hard", "used"]);

/**
 * apimachinery's `equality.Semantic.DeepEqual`: absent, null and empty lists and maps are equal; quantities compare by
 * amount (`1` and `1000m`) inside `limits`, `requests`, `capacity`, `allocatable`, `hard` and `used`.
 */
export function semanticEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return equalWithin(a, b, false);
}

function equalWithin(a: JsonValue | undefined, b: JsonValue | undefined, quantities: boolean): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (quantities && isScalar(a) && isScalar(b)) return sameAmount(a, b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item: JsonValue, i) => equalWithin(item, b[i], quantities));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return sameDigits(a, b);
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    if (!equalWithin(member(a, key), member(b, key), quantities || quantityMaps.has(key))) return false;
  }
  return true;
}

function isScalar(value: JsonValue | undefined): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function sameAmount(a: string | number, b: string | number): boolean {
  const left = parseQuantity(String(a));
  const right = parseQuantity(String(b));
  return left.ok && right.ok && compareQuantities(left.value, right.value) === 0;
}
