import { formatIp } from "./functions/ip-address.ts";
import { compareVersions } from "../version.ts";
import {
  CelDuration,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  identityOf,
} from "./cel-value.ts";

/** Equality of CEL: numbers by value whatever their type; values of different types are not equal. */
export function celEqual(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  const left = numberOf(a);
  const right = numberOf(b);
  if (left !== undefined || right !== undefined) {
    return left !== undefined && right !== undefined && compareNumbers(left, right) === 0;
  }
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, index) => byte === b[index]);
  }
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b);
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b);
  return a instanceof CelOpaque && b instanceof CelOpaque && equalOpaque(a, b);
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return celEqual(a.value, b.value);
}

function equalOpaque(a: CelOpaque, b: CelOpaque): boolean {
  const left = a.content;
  const right = b.content;
  switch (left.kind) {
    case "url":
      return (
        right.kind === "url" &&
        JSON.stringify({ ...left.value, query: [...left.value.query] }) ===
          JSON.stringify({ ...right.value, query: [...right.value.query] })
      );
    case "ip":
      return right.kind === "ip" && formatIp(left.value) === formatIp(right.value);
    case "cidr":
      return (
        right.kind === "cidr" &&
        left.value.prefix === right.value.prefix &&
        formatIp(left.value.ip) === formatIp(right.value.ip)
      );
    case "quantity":
      return right.kind === "quantity" && left.value.nanos === right.value.nanos;
    case "semver":
      return right.kind === "semver" && compareVersions(left.value, right.value) === 0;
    case "format":
      return right.kind === "format" && left.value.name === right.value.name;
    case "authorizer":
    case "pathCheck":
    case "groupCheck":
    case "resourceCheck":
    case "decision":
      return left.value === right.value;
  }
}

/** Lists declared as sets or maps are equal in any order. */
function equalLists(a: readonly CelValue[], b: readonly CelValue[]): boolean {
  if (a.length !== b.length) return false;
  // The left list's declaration decides.
  const identity = identityOf(a);
  if (identity === undefined) return a.every((item, index) => celEqual(item, b[index] ?? null));
  const others = new EqualValues(b);
  return a.every((item) => others.has(item));
}

/** Values that are looked for by equality: each is compared with those of its own mark alone, not with all. */
export class EqualValues {
  readonly #byMark = new Map<string, CelValue[]>();

  constructor(values: readonly CelValue[] = []) {
    for (const value of values) this.add(value);
  }

  add(value: CelValue): void {
    const mark = markOf(value);
    const held = this.#byMark.get(mark);
    if (held === undefined) this.#byMark.set(mark, [value]);
    else held.push(value);
  }

  has(value: CelValue): boolean {
    return this.#byMark.get(markOf(value))?.some((held) => celEqual(value, held)) ?? false;
  }
}

/**
 * A text that equal values share. Two lists may be equal in any order, and the left one decides: of lists it says nothing
 * but their length.
 */
export function markOf(value: CelValue): string {
  const number = numberOf(value);
  if (number !== undefined)
    return typeof number === "bigint" || !Number.isInteger(number) ? `n${number}` : `n${BigInt(number)}`;
  if (typeof value === "string") return `s${value}`;
  if (typeof value === "boolean" || value === null) return `${value}`;
  if (value instanceof Uint8Array) return `y${value.length}`;
  if (Array.isArray(value)) return `l${value.length}`;
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => [markOf(key), markOf(value.get(key) ?? null)]);
    return `m${JSON.stringify(entries.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)))}`;
  }
  if (value instanceof CelDuration || value instanceof CelTimestamp) return `t${value.nanos}`;
  return value instanceof CelTypeValue ? `k${value.name}` : "o";
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  const keys = a.keys();
  if (keys.length !== b.keys().length) return false;
  return keys.every((key) => {
    const left = a.get(key);
    const right = b.get(key);
    return left !== undefined && right !== undefined && celEqual(left, right);
  });
}

type Numeric = bigint | number;

function numberOf(value: CelValue): Numeric | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof CelUint ? value.value : undefined;
}

/** Undefined when one is NaN. */
function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number.isNaN(a) || Number.isNaN(b) ? undefined : 0;
}

/**
 * Order of two values of the same ordered type; undefined when they are not comparable. Text is ordered by code points.
 */
export function celCompare(a: CelValue, b: CelValue): number | undefined {
  const left = numberOf(a);
  const right = numberOf(b);
  if (left !== undefined && right !== undefined) return compareNumbers(left, right);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (a instanceof CelDuration && b instanceof CelDuration) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return compareNumbers(a.nanos, b.nanos);
  return undefined;
}

function compareText(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  for (const [index, character] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (character !== other) return (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
  return left.length - right.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (const [index, byte] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (byte !== other) return byte - other;
  }
  return a.length - b.length;
}
