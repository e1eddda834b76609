import type { JsonValue } from "../../json.ts";
import { isJsonObject, member } from "../../json.ts";
import { deepEqual } from "../../object/semantic-equal.ts";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "slice"; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: "all" }
  | { readonly kind: "descend" }
  | { readonly kind: "filter"; readonly path: readonly Step[]; readonly test: Test | undefined };

interface Test {
  readonly operator: string;
  readonly value: JsonValue;
}

/** The values that a path finds, in order. */
export type JsonPath = (value: JsonValue) => readonly JsonValue[];

/** kubectl's JSONPath, as printer columns use it: fields, indexes, slices, `*`, `..` and filters. Undefined: no path. */
export function jsonPath(text: string): JsonPath | undefined {
  const steps = parse(text);
  return steps === undefined ? undefined : (value) => walk([value], steps);
}

function parse(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/s, "$1")
    .replace(/^[$@]/, "");
  while (rest !== "") {
    const field = /^\.((?:[^.[\]\\\s]|\\.)+)/.exec(rest);
    if (rest.startsWith("..")) {
      steps.push({ kind: "descend" });
      rest = rest.slice(1);
    } else if (field !== null) {
      const name = (field[1] ?? "").replaceAll(/\\(.)/g, "$1");
      steps.push(name === "*" ? { kind: "all" } : { kind: "field", name });
      rest = rest.slice(field[0].length);
    } else if (rest.startsWith("[")) {
      const end = endOfBracket(rest);
      const step = end < 0 ? undefined : bracket(rest.slice(1, end).trim());
      if (step === undefined) return undefined;
      steps.push(step);
      rest = rest.slice(end + 1);
    } else return undefined;
  }
  return steps;
}

/** Index of the bracket that closes the first one. */
function endOfBracket(text: string): number {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "[") depth++;
    else if (character === "]" && --depth === 0) return at;
  }
  return -1;
}

function bracket(inner: string): Step | undefined {
  if (inner === "*") return { kind: "all" };
  if (/^-?\d+$/.test(inner)) return { kind: "index", index: Number(inner) };
  const slice = /^(-?\d*):(-?\d*)$/.exec(inner);
  if (slice !== null) {
    const bound = (text = ""): number | undefined => (text === "" ? undefined : Number(text));
    return { kind: "slice", from: bound(slice[1]), to: bound(slice[2]) };
  }
  const quoted = /^(['"])(.*)\1$/s.exec(inner);
  if (quoted !== null) return { kind: "field", name: (quoted[2] ?? "").replaceAll(/\\(.)/g, "$1") };
  const filter = /^\?\((.*)\)$/s.exec(inner);
  return filter === null ? undefined : filterStep((filter[1] ?? "").trim());
}

function filterStep(text: string): Step | undefined {
  const comparison = /^(@.*?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/s.exec(text);
  const path = parse(comparison?.[1] ?? text);
  if (path === undefined) return undefined;
  if (comparison === null) return { kind: "filter", path, test: undefined };
  const value = literal((comparison[3] ?? "").trim());
  return value === undefined ? undefined : { kind: "filter", path, test: { operator: comparison[2] ?? "==", value } };
}

function literal(text: string): JsonValue | undefined {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted !== null) return quoted[2] ?? "";
  if (text === "true") return true;
  if (text === "false") return false;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function walk(values: readonly JsonValue[], steps: readonly Step[]): readonly JsonValue[] {
  let current = values;
  for (const step of steps) current = current.flatMap((value) => take(value, step));
  return current;
}

function take(value: JsonValue, step: Step): readonly JsonValue[] {
  const list: readonly JsonValue[] | undefined = Array.isArray(value) ? value : undefined;
  switch (step.kind) {
    case "field": {
      const held = isJsonObject(value) ? member(value, step.name) : undefined;
      return held === undefined ? [] : [held];
    }
    case "index": {
      const held = list?.at(step.index);
      return held === undefined ? [] : [held];
    }
    case "slice":
      return list?.slice(step.from, step.to) ?? [];
    case "all":
      return list ?? (isJsonObject(value) ? membersOf(value) : []);
    case "descend":
      return descendants(value);
    case "filter":
      return (list ?? []).filter((item) => passes(item, step.path, step.test));
  }
}

function membersOf(value: JsonValue): readonly JsonValue[] {
  return isJsonObject(value) ? Object.values(value).filter((held) => held !== undefined) : [];
}

function descendants(value: JsonValue): readonly JsonValue[] {
  const below: readonly JsonValue[] = Array.isArray(value) ? value : membersOf(value);
  return [value, ...below.flatMap(descendants)];
}

function passes(item: JsonValue, path: readonly Step[], test: Test | undefined): boolean {
  const found = walk([item], path);
  if (test === undefined) return found.length > 0;
  const [left] = found;
  if (left === undefined) return false;
  const { operator, value: right } = test;
  if (operator === "==") return deepEqual(left, right);
  if (operator === "!=") return !deepEqual(left, right);
  if (typeof left !== typeof right || (typeof left !== "number" && typeof left !== "string")) return false;
  const order = left < (right as typeof left) ? -1 : left > (right as typeof left) ? 1 : 0;
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    default:
      return order >= 0;
  }
}
