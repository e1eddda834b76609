import { CelMap, CelOptional, CelUint, type CelValue, fault } from "../cel-value.ts";
import { type Overload, overload } from "../overload.ts";

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelMap) return value.keys().length === 0;
  return (Array.isArray(value) || value instanceof Uint8Array) && value.length === 0;
}

/** The values of a list of optionals; empty ones are dropped. */
function unwrap(items: CelValue): CelValue {
  if (!Array.isArray(items)) return fault("no such overload");
  const held: CelValue[] = [];
  for (const item of items as readonly CelValue[]) {
    if (!(item instanceof CelOptional)) return fault("no such overload");
    if (item.value !== undefined) held.push(item.value);
  }
  return held;
}

export const optionalFunctions: readonly Overload[] = [
  overload("optional/of(A): optional<A>", (value) => new CelOptional(value)),
  overload("optional/ofNonZeroValue(A): optional<A>", (value) => new CelOptional(isZero(value) ? undefined : value)),
  overload("optional/unwrap(list<optional<A>>): list<A>", unwrap),
  overload("list<optional<A>>.unwrapOpt(): list<A>", unwrap),
  overload("optional/none(): optional<A>", () => new CelOptional(undefined)),
  overload("optional<A>.hasValue(): bool", (optional) =>
    optional instanceof CelOptional ? optional.value !== undefined : fault("no such overload"),
  ),
  overload("optional<A>.value(): A", (optional) =>
    optional instanceof CelOptional
      ? (optional.value ?? fault("optional.none() dereference"))
      : fault("no such overload"),
  ),
  overload("optional<A>.or(optional<A>): optional<A>", (optional, other) =>
    optional instanceof CelOptional && optional.value === undefined ? other : optional,
  ),
  overload("optional<A>.orValue(A): A", (optional, other) =>
    optional instanceof CelOptional ? (optional.value ?? other) : fault("no such overload"),
  ),
];
