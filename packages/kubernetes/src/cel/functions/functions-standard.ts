import { celCompare, celEqual, EqualValues, markOf } from "../cel-equality.ts";
import {
  CelDuration,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  fault,
  parseGoDuration,
  parseTimestamp,
  identityOf,
  typeNameOf,
  withIdentity,
} from "../cel-value.ts";
import { type Overload, overload } from "../overload.ts";
import { compilePattern } from "../pattern.ts";
import { timestampOf } from "./timestamp-range.ts";
import { formatDouble, formatDuration, formatTimestamp } from "../value-text.ts";

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

function asInt(value: bigint): CelValue {
  return value < minInt || value > maxInt ? fault("integer overflow") : value;
}

function asUint(value: bigint): CelValue {
  return value < 0n || value > maxUint ? fault("unsigned integer overflow") : new CelUint(value);
}

/** For sets the union; for maps items with equal keys are replaced in place. */
function joinLists(left: readonly CelValue[], right: readonly CelValue[]): CelValue {
  const identity = identityOf(left);
  if (identity === undefined) return [...left, ...right];
  const items = [...left];
  if (identity.kind === "set") {
    const known = new EqualValues(left);
    for (const item of right) {
      if (known.has(item)) continue;
      known.add(item);
      items.push(item);
    }
    return withIdentity(items, identity);
  }
  const isSame = (x: CelValue, y: CelValue): boolean =>
    identity.keys.every((key) => celEqual(keyOf(x, key), keyOf(y, key)));
  // Keys are scalars, so that equal ones are found by their marks.
  const places = new Map<string, number[]>();
  const placesOf = (item: CelValue): number[] => {
    const mark = JSON.stringify(identity.keys.map((key) => markOf(keyOf(item, key))));
    const found = places.get(mark) ?? [];
    places.set(mark, found);
    return found;
  };
  for (const [at, item] of items.entries()) placesOf(item).push(at);
  for (const item of right) {
    const found = placesOf(item);
    const at = found.find((place) => isSame(items[place] ?? null, item));
    if (at !== undefined) items[at] = item;
    else found.push(items.push(item) - 1);
  }
  return withIdentity(items, identity);
}

function keyOf(item: CelValue, key: string): CelValue {
  return item instanceof CelMap ? (item.get(key) ?? null) : null;
}

const arithmetic: readonly Overload[] = [
  overload("_+_(int, int): int", (a: bigint, b: bigint) => asInt(a + b)),
  overload("_+_(uint, uint): uint", (a: CelUint, b: CelUint) => asUint(a.value + b.value)),
  overload("_+_(double, double): double", (a: number, b: number) => a + b),
  overload("_+_(string, string): string", (a: string, b: string) => a + b),
  overload("_+_(bytes, bytes): bytes", (a: Uint8Array, b: Uint8Array) => Uint8Array.from([...a, ...b])),
  overload("_+_(list<A>, list<A>): list<A>", joinLists),
  overload("_+_(duration, duration): duration", (a: CelDuration, b: CelDuration) => addDurations(a.nanos, b.nanos)),
  overload("_+_(timestamp, duration): timestamp", (a: CelTimestamp, b: CelDuration) => shift(a, b.nanos)),
  overload("_+_(duration, timestamp): timestamp", (a: CelDuration, b: CelTimestamp) => shift(b, a.nanos)),
  overload("_-_(int, int): int", (a: bigint, b: bigint) => asInt(a - b)),
  overload("_-_(uint, uint): uint", (a: CelUint, b: CelUint) => asUint(a.value - b.value)),
  overload("_-_(double, double): double", (a: number, b: number) => a - b),
  overload("_-_(duration, duration): duration", (a: CelDuration, b: CelDuration) => addDurations(a.nanos, -b.nanos)),
  overload("_-_(timestamp, duration): timestamp", (a: CelTimestamp, b: CelDuration) => shift(a, -b.nanos)),
  overload(
    "_-_(timestamp, timestamp): duration",
    (a: CelTimestamp, b: CelTimestamp) => new CelDuration(a.nanos - b.nanos),
  ),
  overload("_*_(int, int): int", (a: bigint, b: bigint) => asInt(a * b)),
  overload("_*_(uint, uint): uint", (a: CelUint, b: CelUint) => asUint(a.value * b.value)),
  overload("_*_(double, double): double", (a: number, b: number) => a * b),
  overload("_/_(int, int): int", (a: bigint, b: bigint) => (b === 0n ? fault("division by zero") : asInt(a / b))),
  overload("_/_(uint, uint): uint", (a: CelUint, b: CelUint) =>
    b.value === 0n ? fault("division by zero") : asUint(a.value / b.value),
  ),
  overload("_/_(double, double): double", (a: number, b: number) => a / b),
  overload("_%_(int, int): int", (a: bigint, b: bigint) => {
    if (b === 0n) return fault("modulus by zero");
    return a === minInt && b === -1n ? fault("integer overflow") : a % b;
  }),
  overload("_%_(uint, uint): uint", (a: CelUint, b: CelUint) =>
    b.value === 0n ? fault("modulus by zero") : asUint(a.value % b.value),
  ),
  overload("-_(int): int", (a: bigint) => asInt(-a)),
  overload("-_(double): double", (a: number) => -a),
  overload("!_(bool): bool", (a: boolean) => !a),
];

function addDurations(a: bigint, b: bigint): CelValue {
  const nanos = a + b;
  return nanos < minInt || nanos > maxInt ? fault("duration overflow") : new CelDuration(nanos);
}

const shift = ({ nanos, offsetMinutes }: CelTimestamp, by: bigint): CelValue => timestampOf(nanos + by, offsetMinutes);

const ordered = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const numeric = ["int", "uint", "double"];
const orders: readonly (readonly [string, (order: number) => boolean])[] = [
  ["_<_", (order) => order < 0],
  ["_<=_", (order) => order <= 0],
  ["_>_", (order) => order > 0],
  ["_>=_", (order) => order >= 0],
];

const comparisons: readonly Overload[] = orders.flatMap(([name, holds]) => {
  const run = (a: CelValue, b: CelValue): CelValue => {
    const order = celCompare(a, b);
    return order !== undefined && holds(order);
  };
  const pairs = [
    ...ordered.map((type) => [type, type] as const),
    ...numeric.flatMap((left) => numeric.filter((right) => right !== left).map((right) => [left, right] as const)),
  ];
  return pairs.map(([left, right]) => overload(`${name}(${left}, ${right}): bool`, run));
});

const equality: readonly Overload[] = [
  overload("_==_(A, A): bool", (a: CelValue, b: CelValue) => celEqual(a, b)),
  overload("_!=_(A, A): bool", (a: CelValue, b: CelValue) => !celEqual(a, b)),
  overload("@in(A, list<A>): bool", (a: CelValue, b: readonly CelValue[]) => b.some((item) => celEqual(a, item))),
  overload("@in(A, map<A, B>): bool", (a: CelValue, b: CelMap) => b.get(a) !== undefined),
];

function codePoints(value: string): bigint {
  let count = 0n;
  for (const _ of value) count++;
  return count;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

function sizeOf(value: string | Uint8Array | readonly CelValue[] | CelMap): CelValue {
  if (typeof value === "string") return codePoints(value);
  return BigInt(value instanceof CelMap ? value.keys().length : value.length);
}

const sizes: readonly Overload[] = ["string", "bytes", "list<A>", "map<A, B>"].flatMap((type) => [
  overload(`size(${type}): int`, sizeOf),
  overload(`${type}.size(): int`, sizeOf),
]);

/** RE2 syntax, unanchored. */
function matches(subject: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.value.test(subject) : fault(compiled.problem);
}

const strings: readonly Overload[] = [
  overload("string.contains(string): bool", (a: string, b: string) => a.includes(b)),
  overload("string.startsWith(string): bool", (a: string, b: string) => a.startsWith(b)),
  overload("string.endsWith(string): bool", (a: string, b: string) => a.endsWith(b)),
  overload("string.matches(string): bool", matches),
  overload("matches(string, string): bool", matches),
];

function intOf(value: bigint | CelUint | number | string | CelTimestamp | CelDuration): CelValue {
  if (typeof value === "bigint") return value;
  if (value instanceof CelUint) return value.value > maxInt ? fault("integer overflow") : value.value;
  if (typeof value === "number") {
    return Number.isNaN(value) || value >= 2 ** 63 || value <= -(2 ** 63)
      ? fault("integer overflow")
      : BigInt(Math.trunc(value));
  }
  if (value instanceof CelTimestamp) return floorDiv(value.nanos, 1_000_000_000n);
  if (value instanceof CelDuration) return value.nanos;
  if (!/^[+-]?\d+$/.test(value)) return unconvertible("string", "int");
  const parsed = BigInt(value.replace(/^\+/, ""));
  return parsed < minInt || parsed > maxInt ? unconvertible("string", "int") : parsed;
}

function unconvertible(from: string, to: string): CelValue {
  return fault(`type conversion error from '${from}' to '${to}'`);
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a < 0n && a % b !== 0n ? quotient - 1n : quotient;
}

function uintOf(value: CelUint | bigint | number | string): CelValue {
  if (value instanceof CelUint) return value;
  if (typeof value === "bigint") return asUint(value);
  if (typeof value === "number") {
    return Number.isNaN(value) || value < 0 || value >= 2 ** 64
      ? fault("unsigned integer overflow")
      : new CelUint(BigInt(Math.trunc(value)));
  }
  return /^\d+$/.test(value) && BigInt(value) <= maxUint ? new CelUint(BigInt(value)) : unconvertible("string", "uint");
}

const specialNumbers: ReadonlyMap<string, number> = new Map([
  ["nan", Number.NaN],
  ["inf", Infinity],
  ["+inf", Infinity],
  ["-inf", -Infinity],
  ["infinity", Infinity],
  ["+infinity", Infinity],
  ["-infinity", -Infinity],
]);

function doubleOf(value: number | bigint | CelUint | string): CelValue {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  const special = specialNumbers.get(value.toLowerCase());
  if (special !== undefined) return special;
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value);
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : unconvertible("string", "double");
}

function textOf(
  value: string | boolean | bigint | number | CelUint | CelDuration | CelTimestamp | Uint8Array,
): CelValue {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  try {
    return decoder.decode(value);
  } catch {
    return fault("invalid UTF-8 in bytes, cannot convert to string");
  }
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((word) => [word, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((word) => [word, false] as const),
]);

const conversions: readonly Overload[] = [
  ...["int", "uint", "double", "string", "timestamp", "duration"].map((type) => overload(`int(${type}): int`, intOf)),
  ...["int", "uint", "double", "string"].map((type) => overload(`uint(${type}): uint`, uintOf)),
  ...["int", "uint", "double", "string"].map((type) => overload(`double(${type}): double`, doubleOf)),
  ...["string", "bool", "int", "uint", "double", "bytes", "timestamp", "duration"].map((type) =>
    overload(`string(${type}): string`, textOf),
  ),
  overload("bool(bool): bool", (value: CelValue) => value),
  overload("bool(string): bool", (value: string) => booleans.get(value) ?? unconvertible("string", "bool")),
  overload("bytes(bytes): bytes", (value: CelValue) => value),
  overload("bytes(string): bytes", (value: string) => encoder.encode(value)),
  overload("dyn(A): dyn", (value: CelValue) => value),
  overload("type(A): type", (value: CelValue) => new CelTypeValue(typeNameOf(value))),
  overload("duration(duration): duration", (value: CelValue) => value),
  overload(
    "duration(string): duration",
    (value: string) => parseGoDuration(value) ?? unconvertible("string", "google.protobuf.Duration"),
  ),
  overload("timestamp(timestamp): timestamp", (value: CelValue) => value),
  overload("timestamp(int): timestamp", (value: bigint) => timestampOf(value * 1_000_000_000n)),
  overload("timestamp(string): timestamp", (value: string) => {
    const parsed = parseTimestamp(value);
    return parsed === undefined
      ? unconvertible("string", "google.protobuf.Timestamp")
      : timestampOf(parsed.nanos, parsed.offsetMinutes);
  }),
];

export const standardFunctions: readonly Overload[] = [
  ...arithmetic,
  ...comparisons,
  ...equality,
  ...sizes,
  ...strings,
  ...conversions,
];
