import { celCompare, celEqual, EqualValues } from "../cel-equality.ts";
import { CelDuration, CelOptional, CelUint, type CelValue, fault } from "../cel-value.ts";
import { type Overload, overload } from "../overload.ts";

const comparable = ["int", "uint", "double", "bool", "string", "bytes", "timestamp", "duration"];

function isSorted(items: readonly CelValue[]): CelValue {
  return items.every((item, index) => index === 0 || (celCompare(items[index - 1] ?? null, item) ?? 1) <= 0);
}

function extreme(items: readonly CelValue[], sign: 1 | -1): CelValue {
  const [first, ...rest] = items;
  if (first === undefined) return fault(`${sign === 1 ? "max" : "min"} called on empty list`);
  let best = first;
  for (const item of rest) if (sign * (celCompare(item, best) ?? 0) > 0) best = item;
  return best;
}

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);

function sumOf(items: readonly CelValue[], type: string): CelValue {
  let whole = 0n;
  let real = 0;
  for (const item of items) {
    if (typeof item === "number") real += item;
    else if (typeof item === "bigint") whole += item;
    else if (item instanceof CelUint) whole += item.value;
    else if (item instanceof CelDuration) whole += item.nanos;
  }
  if (type === "double") return real;
  if (type === "uint") return new CelUint(whole);
  if (type === "duration") return new CelDuration(whole);
  return whole > maxInt || whole < minInt ? fault("integer overflow") : whole;
}

function indexOf(items: readonly CelValue[], wanted: CelValue): CelValue {
  return BigInt(items.findIndex((item) => celEqual(item, wanted)));
}

function lastIndexOf(items: readonly CelValue[], wanted: CelValue): CelValue {
  return BigInt(items.findLastIndex((item) => celEqual(item, wanted)));
}

function distinct(items: readonly CelValue[]): readonly CelValue[] {
  const kept: CelValue[] = [];
  const known = new EqualValues();
  for (const item of items) {
    if (known.has(item)) continue;
    known.add(item);
    kept.push(item);
  }
  return kept;
}

function sorted(items: readonly CelValue[]): CelValue {
  return items.toSorted((a, b) => celCompare(a, b) ?? 0);
}

/** Limits the memory of a range. */
const longestRange = 100_000n;

function range(count: bigint): CelValue {
  if (count > longestRange) return fault("lists.range: too long");
  return Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index));
}

function slice(items: readonly CelValue[], start: bigint, end: bigint): CelValue {
  const from = Number(start);
  const to = Number(end);
  if (from < 0 || to < 0) return fault(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to) return fault(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  return to > items.length
    ? fault(`cannot slice(${from}, ${to}), list is length ${items.length}`)
    : items.slice(from, to);
}

function flatten(items: readonly CelValue[], depth: number): readonly CelValue[] {
  return items.flatMap((item: CelValue) =>
    Array.isArray(item) && depth > 0 ? flatten(item as readonly CelValue[], depth - 1) : [item],
  );
}

function flattenTo(items: readonly CelValue[], depth: bigint): CelValue {
  return depth < 0n ? fault("level must be non-negative") : flatten(items, Number(depth));
}

function contains(items: readonly CelValue[], wanted: readonly CelValue[]): boolean {
  const held = new EqualValues(items);
  return wanted.every((item) => held.has(item));
}

function intersects(a: readonly CelValue[], b: readonly CelValue[]): boolean {
  const held = new EqualValues(b);
  return a.some((item) => held.has(item));
}

export const listFunctions: readonly Overload[] = [
  ...comparable.flatMap((type) => [
    overload(`list<${type}>.isSorted(): bool`, isSorted),
    overload(`list<${type}>.max(): ${type}`, (items: readonly CelValue[]) => extreme(items, 1)),
    overload(`list<${type}>.min(): ${type}`, (items: readonly CelValue[]) => extreme(items, -1)),
    overload(`list<${type}>.sort(): list<${type}>`, sorted),
  ]),
  ...["int", "uint", "double", "duration"].map((type) =>
    overload(`list<${type}>.sum(): ${type}`, (items: readonly CelValue[]) => sumOf(items, type)),
  ),
  overload("list<A>.indexOf(A): int", indexOf),
  overload("list<A>.lastIndexOf(A): int", lastIndexOf),
  overload("list<A>.distinct(): list<A>", distinct),
  overload("list<A>.reverse(): list<A>", (items: readonly CelValue[]) => items.toReversed()),
  overload("list<list<A>>.flatten(): list<A>", (items: readonly CelValue[]) => flatten(items, 1)),
  overload("list<dyn>.flatten(int): list<dyn>", flattenTo),
  overload("list<A>.slice(int, int): list<A>", slice),
  overload("list<A>.first(): optional<A>", (items: readonly CelValue[]) => new CelOptional(items[0])),
  overload("list<A>.last(): optional<A>", (items: readonly CelValue[]) => new CelOptional(items.at(-1))),
  overload("lists/range(int): list<int>", range),
  overload("sets/contains(list<A>, list<A>): bool", contains),
  overload(
    "sets/equivalent(list<A>, list<A>): bool",
    (a: readonly CelValue[], b: readonly CelValue[]) => contains(a, b) && contains(b, a),
  ),
  overload("sets/intersects(list<A>, list<A>): bool", intersects),
];
