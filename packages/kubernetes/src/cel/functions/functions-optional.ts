import { CelMap, CelOptional, CelUint, type CelValue, fault } from "../cel-value.ts";
import { type Overload, overload } from "../overload.ts";

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelMap) return value.keys().length === 0;
  return (Array.isArray(value) || value instanceof Uint8Array) && value.length === 0;
}

/** The values of a list of optionals; empty ones are dropped. */
function unwrap(items: readonly CelOptional[]): CelValue {
  return items.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

export const optionalFunctions: readonly Overload[] = [
  overload("optional/of(A): optional<A>", (value: CelValue) => new CelOptional(value)),
  overload(
    "optional/ofNonZeroValue(A): optional<A>",
    (value: CelValue) => new CelOptional(isZero(value) ? undefined : value),
  ),
  overload("optional/unwrap(list<optional<A>>): list<A>", unwrap),
  overload("list<optional<A>>.unwrapOpt(): list<A>", unwrap),
  overload("optional/none(): optional<A>", () => new CelOptional(undefined)),
  overload("optional<A>.hasValue(): bool", ({ value }: CelOptional) => value !== undefined),
  overload("optional<A>.value(): A", ({ value }: CelOptional) => value ?? fault("optional.none() dereference")),
  overload("optional<A>.or(optional<A>): optional<A>", (optional: CelOptional, other: CelOptional) =>
    optional.value === undefined ? other : optional,
  ),
  overload("optional<A>.orValue(A): A", ({ value }: CelOptional, other: CelValue) => value ?? other),
];
