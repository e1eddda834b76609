import { celCompare, celEqual, EqualValues } from "../cel-equality.ts";
import { CelDuration, CelOptional, CelUint, type CelValue, fault } from "../cel-value.ts";
import { list } from "./functions-standard.ts";
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

function indexOf(items: CelValue, wanted: CelValue): CelValue {
  return Array.isArray(items)
    ? BigInt(items.findIndex((item: CelValue) => celEqual(item, wanted)))
    : fault("no such overload");
}

function lastIndexOf(items: CelValue, wanted: CelValue): CelValue {
  return Array.isArray(items)
    ? BigInt(items.findLastIndex((item: CelValue) => celEqual(item, wanted)))
    : fault("no such overload");
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

function range(count: CelValue): CelValue {
  if (typeof count !== "bigint") return fault("no such overload");
  if (count > longestRange) return fault("lists.range: too long");
  return Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index));
}

function slice(items: CelValue, start: CelValue, end: CelValue): CelValue {
  if (!Array.isArray(items)) return fault("no such overload");
  const from = Number(start);
  const to = Number(end);
  if (from < 0 || to < 0) return fault(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to) return fault(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  return to > items.length
    ? fault(`cannot slice(${from}, ${to}), list is length ${items.length}`)
    : items.slice(from, to);
}

function flatten(items: readonly CelValue[], depth: number): CelValue[] {
  return items.flatMap((item: CelValue) =>
    Array.isArray(item) && depth > 0 ? flatten(item as readonly CelValue[], depth - 1) : [item],
  );
}

function flattenTo(items: CelValue, depth: CelValue): CelValue {
  if (!Array.isArray(items) || typeof depth !== "bigint") return fault("no such overload");
  return depth < 0n ? fault("level must be non-negative") : flatten(items as readonly CelValue[], Number(depth));
}

function contains(items: CelValue, wanted: CelValue): boolean {
  if (!Array.isArray(items) || !Array.isArray(wanted)) return false;
  const held = new EqualValues(items);
  return wanted.every((item: CelValue) => held.has(item));
}

function intersects(a: CelValue, b: CelValue): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  const held = new EqualValues(b);
  return a.some((item: CelValue) => held.has(item));
}

export const listFunctions: readonly Overload[] = [
  ...comparable.flatMap((type) => [
    overload(`list<${type}>.isSorted(): bool`, list(isSorted)),
    overload(
      `list<${type}>.max(): ${type}`,
      list((items) => extreme(items, 1)),
    ),
    overload(
      `list<${type}>.min(): ${type}`,
      list((items) => extreme(items, -1)),
    ),
    overload(`list<${type}>.sort(): list<${type}>`, list(sorted)),
  ]),
  ...["int", "uint", "double", "duration"].map((type) =>
    overload(
      `list<${type}>.sum(): ${type}`,
      list((items) => sumOf(items, type)),
    ),
  ),
  overload("list<A>.indexOf(A): int", indexOf),
  overload("list<A>.lastIndexOf(A): int", lastIndexOf),
  overload("list<A>.distinct(): list<A>", list(distinct)),
  overload(
    "list<A>.reverse(): list<A>",
    list((items) => items.toReversed()),
  ),
  overload(
    "list<list<A>>.flatten(): list<A>",
    list((items) => flatten(items, 1)),
  ),
  overload("list<dyn>.flatten(int): list<dyn>", flattenTo),
  overload("list<A>.slice(int, int): list<A>", slice),
  overload(
    "list<A>.first(): optional<A>",
    list((items) => new CelOptional(items[0])),
  ),
  overload(
    "list<A>.last(): optional<A>",
    list((items) => new CelOptional(items.at(-1))),
  ),
  overload("lists/range(int): list<int>", range),
  overload("sets/contains(list<A>, list<A>): bool", contains),
  overload("sets/equivalent(list<A>, list<A>): bool", (a, b) => contains(a, b) && contains(b, a)),
  overload("sets/intersects(list<A>, list<A>): bool", intersects),
];
