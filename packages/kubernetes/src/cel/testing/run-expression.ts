// Evaluates expressions over one object with fields of all kinds, for tables.
import type { JsonValue } from "../../json.ts";
import { type CelType, compileCel, fromJson } from "../cel.ts";
import {
  CelDuration,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "../cel-value.ts";
import { formatDuration, formatTimestamp } from "../value-text.ts";

const string: CelType = { kind: "string" };
const int: CelType = { kind: "int" };

export const self: CelType = {
  kind: "object",
  name: "object",
  fields: new Map<string, { key: string; type: CelType }>([
    ["s", { key: "s", type: string }],
    ["n", { key: "n", type: int }],
    ["absent", { key: "absent", type: string }],
    ["list", { key: "list", type: { kind: "list", items: string } }],
    ["numbers", { key: "numbers", type: { kind: "list", items: int } }],
    ["map", { key: "map", type: { kind: "map", values: int } }],
    ["any", { key: "any", type: { kind: "dyn" } }],
    ["when", { key: "when", type: { kind: "timestamp" } }],
    ["set", { key: "set", type: { kind: "list", items: string, identity: { kind: "set" } } }],
    ["a__dot__b", { key: "a.b", type: int }],
  ]),
};

const value: JsonValue = {
  s: "https://user@example.com:80/a%20b?k=v",
  n: 5,
  list: ["a", "b"],
  numbers: [3, 1, 2],
  map: { x: 1, y: 2 },
  any: "text",
  when: "2026-03-04T05:06:07.5Z",
  set: ["p", "q"],
  "a.b": 7,
};

/** The result of the expression, or the first line of why there is none. */
export function run(expression: string): string {
  const compiled = compileCel(expression, { variables: new Map([["self", self]]), library: "kubernetes" });
  if (!compiled.ok) return compiled.problem.message.split("\n")[0] ?? "";
  const result = compiled.value.evaluate(new Map([["self", fromJson(value, self)]]), { maxCost: 1_000_000 });
  return result.ok ? show(result.value.value) : result.problem.message;
}

export function show(held: CelValue): string {
  if (typeof held === "bigint") return `${held}`;
  if (typeof held === "number") return Number.isInteger(held) ? held.toFixed(1) : String(held);
  if (Array.isArray(held)) return `[${held.map((item: CelValue) => show(item)).join(", ")}]`;
  if (held instanceof CelOptional) return held.value === undefined ? "none" : `some(${show(held.value)})`;
  if (held instanceof CelUint) return `${held.value}u`;
  if (held instanceof Uint8Array) return `b'${Buffer.from(held).toString("hex")}'`;
  if (held instanceof CelDuration) return formatDuration(held);
  if (held instanceof CelTimestamp) return formatTimestamp(held);
  if (held instanceof CelTypeValue) return held.name;
  if (held instanceof CelOpaque) return held.content.kind;
  if (held instanceof CelMap)
    return `{${held
      .keys()
      .map((key) => `${show(key)}: ${show(held.get(key) ?? null)}`)
      .join(", ")}}`;
  return typeof held === "object" ? JSON.stringify(held) : String(held);
}
