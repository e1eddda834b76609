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

/** Overload resolution ensures the types of the operands. */
function ints(run: (a: bigint, b: bigint) => CelValue): (a: CelValue, b: CelValue) => CelValue {
  return (a, b) => (typeof a === "bigint" && typeof b === "bigint" ? run(a, b) : fault("no such overload"));
}

function uints(run: (a: bigint, b: bigint) => CelValue): (a: CelValue, b: CelValue) => CelValue {
  return (a, b) => (a instanceof CelUint && b instanceof CelUint ? run(a.value, b.value) : fault("no such overload"));
}

function doubles(run: (a: number, b: number) => CelValue): (a: CelValue, b: CelValue) => CelValue {
  return (a, b) => (typeof a === "number" && typeof b === "number" ? run(a, b) : fault("no such overload"));
}

export function texts(run: (a: string, b: string) => CelValue): (a: CelValue, b: CelValue) => CelValue {
  return (a, b) => (typeof a === "string" && typeof b === "string" ? run(a, b) : fault("no such overload"));
}

export function text(run: (a: string) => CelValue): (a: CelValue) => CelValue {
  return (a) => (typeof a === "string" ? run(a) : fault("no such overload"));
}

export function list(run: (items: readonly CelValue[]) => CelValue): (a: CelValue) => CelValue {
  return (a) => (Array.isArray(a) ? run(a) : fault("no such overload"));
}

/** For sets the union; for maps items with equal keys are replaced in place. */
function joinLists(a: CelValue, b: CelValue): CelValue {
  if (!Array.isArray(a) || !Array.isArray(b)) return fault("no such overload");
  const left = a as readonly CelValue[];
  const right = b as readonly CelValue[];
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
  overload(
    "_+_(int, int): int",
    ints((a, b) => asInt(a + b)),
  ),
  overload(
    "_+_(uint, uint): uint",
    uints((a, b) => asUint(a + b)),
  ),
  overload(
    "_+_(double, double): double",
    doubles((a, b) => a + b),
  ),
  overload(
    "_+_(string, string): string",
    texts((a, b) => a + b),
  ),
  overload("_+_(bytes, bytes): bytes", (a, b) =>
    a instanceof Uint8Array && b instanceof Uint8Array ? Uint8Array.from([...a, ...b]) : fault("no such overload"),
  ),
  overload("_+_(list<A>, list<A>): list<A>", joinLists),
  overload("_+_(duration, duration): duration", (a, b) => shift(a, b, 1n)),
  overload("_+_(timestamp, duration): timestamp", (a, b) => shift(a, b, 1n)),
  overload("_+_(duration, timestamp): timestamp", (a, b) => shift(b, a, 1n)),
  overload(
    "_-_(int, int): int",
    ints((a, b) => asInt(a - b)),
  ),
  overload(
    "_-_(uint, uint): uint",
    uints((a, b) => asUint(a - b)),
  ),
  overload(
    "_-_(double, double): double",
    doubles((a, b) => a - b),
  ),
  overload("_-_(duration, duration): duration", (a, b) => shift(a, b, -1n)),
  overload("_-_(timestamp, duration): timestamp", (a, b) => shift(a, b, -1n)),
  overload("_-_(timestamp, timestamp): duration", (a, b) =>
    a instanceof CelTimestamp && b instanceof CelTimestamp
      ? new CelDuration(a.nanos - b.nanos)
      : fault("no such overload"),
  ),
  overload(
    "_*_(int, int): int",
    ints((a, b) => asInt(a * b)),
  ),
  overload(
    "_*_(uint, uint): uint",
    uints((a, b) => asUint(a * b)),
  ),
  overload(
    "_*_(double, double): double",
    doubles((a, b) => a * b),
  ),
  overload(
    "_/_(int, int): int",
    ints((a, b) => (b === 0n ? fault("division by zero") : asInt(a / b))),
  ),
  overload(
    "_/_(uint, uint): uint",
    uints((a, b) => (b === 0n ? fault("division by zero") : asUint(a / b))),
  ),
  overload(
    "_/_(double, double): double",
    doubles((a, b) => a / b),
  ),
  overload(
    "_%_(int, int): int",
    ints((a, b) => {
      if (b === 0n) return fault("modulus by zero");
      return a === minInt && b === -1n ? fault("integer overflow") : a % b;
    }),
  ),
  overload(
    "_%_(uint, uint): uint",
    uints((a, b) => (b === 0n ? fault("modulus by zero") : asUint(a % b))),
  ),
  overload("-_(int): int", (a) => (typeof a === "bigint" ? asInt(-a) : fault("no such overload"))),
  overload("-_(double): double", (a) => (typeof a === "number" ? -a : fault("no such overload"))),
  overload("!_(bool): bool", (a) => (typeof a === "boolean" ? !a : fault("no such overload"))),
];

function shift(a: CelValue, b: CelValue, sign: bigint): CelValue {
  if (!(b instanceof CelDuration)) return fault("no such overload");
  if (a instanceof CelDuration) {
    const nanos = a.nanos + sign * b.nanos;
    return nanos < minInt || nanos > maxInt ? fault("duration overflow") : new CelDuration(nanos);
  }
  return a instanceof CelTimestamp ? timestampOf(a.nanos + sign * b.nanos, a.offsetMinutes) : fault("no such overload");
}

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
  overload("_==_(A, A): bool", (a, b) => celEqual(a, b)),
  overload("_!=_(A, A): bool", (a, b) => !celEqual(a, b)),
  overload("@in(A, list<A>): bool", (a, b) =>
    Array.isArray(b) ? b.some((item: CelValue) => celEqual(a, item)) : fault("no such overload"),
  ),
  overload("@in(A, map<A, B>): bool", (a, b) =>
    b instanceof CelMap ? b.get(a) !== undefined : fault("no such overload"),
  ),
];

function codePoints(value: string): bigint {
  let count = 0n;
  for (const _ of value) count++;
  return count;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

function sizeOf(value: CelValue): CelValue {
  if (typeof value === "string") return codePoints(value);
  if (value instanceof Uint8Array || Array.isArray(value)) return BigInt(value.length);
  return value instanceof CelMap ? BigInt(value.keys().length) : fault("no such overload");
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
  overload(
    "string.contains(string): bool",
    texts((a, b) => a.includes(b)),
  ),
  overload(
    "string.startsWith(string): bool",
    texts((a, b) => a.startsWith(b)),
  ),
  overload(
    "string.endsWith(string): bool",
    texts((a, b) => a.endsWith(b)),
  ),
  overload("string.matches(string): bool", texts(matches)),
  overload("matches(string, string): bool", texts(matches)),
];

function intOf(value: CelValue): CelValue {
  if (typeof value === "bigint") return value;
  if (value instanceof CelUint) return value.value > maxInt ? fault("integer overflow") : value.value;
  if (typeof value === "number") {
    return Number.isNaN(value) || value >= 2 ** 63 || value <= -(2 ** 63)
      ? fault("integer overflow")
      : BigInt(Math.trunc(value));
  }
  if (value instanceof CelTimestamp) return floorDiv(value.nanos, 1_000_000_000n);
  if (value instanceof CelDuration) return value.nanos;
  if (typeof value !== "string" || !/^[+-]?\d+$/.test(value)) return unconvertible("string", "int");
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

function uintOf(value: CelValue): CelValue {
  if (value instanceof CelUint) return value;
  if (typeof value === "bigint") return asUint(value);
  if (typeof value === "number") {
    return Number.isNaN(value) || value < 0 || value >= 2 ** 64
      ? fault("unsigned integer overflow")
      : new CelUint(BigInt(Math.trunc(value)));
  }
  return typeof value === "string" && /^\d+$/.test(value) && BigInt(value) <= maxUint
    ? new CelUint(BigInt(value))
    : unconvertible("string", "uint");
}

function doubleOf(value: CelValue): CelValue {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  if (typeof value !== "string") return fault("no such overload");
  const special: Readonly<Record<string, number>> = {
    nan: Number.NaN,
    inf: Infinity,
    "+inf": Infinity,
    "-inf": -Infinity,
    infinity: Infinity,
    "+infinity": Infinity,
    "-infinity": -Infinity,
  };
  const lower = value.toLowerCase();
  if (Object.hasOwn(special, lower)) return special[lower] ?? Number.NaN;
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value);
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : unconvertible("string", "double");
}

function textOf(value: CelValue): CelValue {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (!(value instanceof Uint8Array)) return fault("no such overload");
  try {
    return decoder.decode(value);
  } catch {
    return fault("invalid UTF-8 in bytes, cannot convert to string");
  }
}

const booleans: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  TRUE: true,
  true: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  FALSE: false,
  false: false,
  False: false,
};

const conversions: readonly Overload[] = [
  ...["int", "uint", "double", "string", "timestamp", "duration"].map((type) => overload(`int(${type}): int`, intOf)),
  ...["int", "uint", "double", "string"].map((type) => overload(`uint(${type}): uint`, uintOf)),
  ...["int", "uint", "double", "string"].map((type) => overload(`double(${type}): double`, doubleOf)),
  ...["string", "bool", "int", "uint", "double", "bytes", "timestamp", "duration"].map((type) =>
    overload(`string(${type}): string`, textOf),
  ),
  overload("bool(bool): bool", (value) => value),
  overload(
    "bool(string): bool",
    text((value) => (Object.hasOwn(booleans, value) ? (booleans[value] ?? false) : unconvertible("string", "bool"))),
  ),
  overload("bytes(bytes): bytes", (value) => value),
  overload(
    "bytes(string): bytes",
    text((value) => encoder.encode(value)),
  ),
  overload("dyn(A): dyn", (value) => value),
  overload("type(A): type", (value) => new CelTypeValue(typeNameOf(value))),
  overload("duration(duration): duration", (value) => value),
  overload(
    "duration(string): duration",
    text((value) => parseGoDuration(value) ?? unconvertible("string", "google.protobuf.Duration")),
  ),
  overload("timestamp(timestamp): timestamp", (value) => value),
  overload("timestamp(int): timestamp", (value) =>
    typeof value === "bigint" ? timestampOf(value * 1_000_000_000n) : fault("no such overload"),
  ),
  overload(
    "timestamp(string): timestamp",
    text((value) => {
      const parsed = parseTimestamp(value);
      return parsed === undefined
        ? unconvertible("string", "google.protobuf.Timestamp")
        : timestampOf(parsed.nanos, parsed.offsetMinutes);
    }),
  ),
];

export const standardFunctions: readonly Overload[] = [
  ...arithmetic,
  ...comparisons,
  ...equality,
  ...sizes,
  ...strings,
  ...conversions,
];
