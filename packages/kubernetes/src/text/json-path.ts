import type { JsonValue } from "../json.ts";
import { isJsonObject, member } from "../json.ts";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | {
      readonly kind: "slice";
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly every: number;
    }
  | { readonly kind: "union"; readonly members: readonly Step[] }
  | { readonly kind: "all" }
  | { readonly kind: "descend" }
  | { readonly kind: "filter"; readonly path: readonly Step[]; readonly test: Test | undefined };

interface Test {
  readonly operator: string;
  readonly value: JsonValue;
}

/** The values of a path, in order; none when a step fails, such as an index beyond the end. */
export type JsonPath = (value: JsonValue) => readonly JsonValue[];

/**
 * kubectl's JSONPath for printer columns: fields, indexes, slices, unions, `*`, `..` and filters. Undefined when the
 * text is not a valid path.
 */
export function jsonPath(text: string): JsonPath | undefined {
  const steps = parse(text);
  return steps === undefined ? undefined : (value) => walk([value], steps) ?? [];
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

/** Index of the matching closing bracket. */
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
  if (inner === "*") return { kind: "slice", from: undefined, to: undefined, every: 1 };
  if (/^-?\d+$/.test(inner)) return { kind: "index", index: Number(inner) };
  const slice = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/.exec(inner);
  if (slice !== null) {
    const bound = (text = ""): number | undefined => (text === "" ? undefined : Number(text));
    return { kind: "slice", from: bound(slice[1]), to: bound(slice[2]), every: bound(slice[3]) ?? 1 };
  }
  if (inner.includes(",") && !inner.startsWith("?(")) {
    const members = inner.split(",").map((member) => bracket(member.trim()));
    return members.every((step) => step !== undefined) ? { kind: "union", members } : undefined;
  }
  const quoted = /^(['"])(.*)\1$/s.exec(inner);
  if (quoted !== null) return { kind: "field", name: (quoted[2] ?? "").replaceAll(/\\(.)/g, "$1") };
  const filter = /^\?\((.*)\)$/s.exec(inner);
  return filter === null ? undefined : filterStep((filter[1] ?? "").trim());
}

function filterStep(text: string): Step | undefined {
  const comparison = text.startsWith("@") ? /==|!=|<=|>=|<|>/.exec(text) : null;
  const [operator = "=="] = comparison ?? [];
  const compared = comparison === null ? "" : text.slice(comparison.index + operator.length).trim();
  const path = parse(comparison === null || compared === "" ? text : text.slice(0, comparison.index).trimEnd());
  if (path === undefined) return undefined;
  if (compared === "") return { kind: "filter", path, test: undefined };
  const value = literal(compared);
  return value === undefined ? undefined : { kind: "filter", path, test: { operator, value } };
}

function literal(text: string): JsonValue | undefined {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted !== null) return quoted[2] ?? "";
  if (text === "true") return true;
  if (text === "false") return false;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** Undefined when a step does not apply to a value. */
function walk(values: readonly JsonValue[], steps: readonly Step[]): readonly JsonValue[] | undefined {
  let current = values;
  for (const step of steps) {
    const next = takeAll(current, step);
    if (next === undefined) return undefined;
    current = next;
  }
  return current;
}

function takeAll(values: readonly JsonValue[], step: Step): readonly JsonValue[] | undefined {
  const taken: JsonValue[] = [];
  for (const value of values) {
    const found = take(value, step);
    if (found === undefined) return undefined;
    taken.push(...found);
  }
  return taken;
}

function take(value: JsonValue, step: Step): readonly JsonValue[] | undefined {
  const list: readonly JsonValue[] | undefined = Array.isArray(value) ? value : undefined;
  switch (step.kind) {
    case "field": {
      const held = isJsonObject(value) ? member(value, step.name) : undefined;
      return held === undefined ? [] : [held];
    }
    case "index": {
      if (value === null) return [];
      const held = list?.at(step.index);
      return held === undefined ? undefined : [held];
    }
    case "slice":
      return value === null ? [] : list === undefined ? undefined : sliceOf(list, step);
    case "union": {
      const found = step.members.map((one) => take(value, one));
      return found.every((one) => one !== undefined) ? found.flat() : undefined;
    }
    case "all":
      return list ?? membersOf(value);
    case "descend":
      return descendants(value);
    case "filter":
      return list === undefined ? undefined : filtered(list, step.path, step.test);
  }
}

function sliceOf(
  list: readonly JsonValue[],
  { from: first = 0, to: last = list.length, every }: Extract<Step, { readonly kind: "slice" }>,
): readonly JsonValue[] | undefined {
  const [from, to] = [first, last].map((bound) => (bound < 0 ? bound + list.length : bound)) as [number, number];
  if (from === to) return [];
  if (from < 0 || from >= list.length || to < 0 || to > list.length || from > to || every <= 0) return undefined;
  return list.slice(from, to).filter((_, index) => index % every === 0);
}

function membersOf(value: JsonValue): readonly JsonValue[] {
  return isJsonObject(value) ? Object.values(value).filter((held) => held !== undefined) : [];
}

function descendants(value: JsonValue): readonly JsonValue[] {
  const below: readonly JsonValue[] = Array.isArray(value) ? value : membersOf(value);
  return [value, ...below.flatMap(descendants)];
}

function filtered(
  list: readonly JsonValue[],
  path: readonly Step[],
  test: Test | undefined,
): readonly JsonValue[] | undefined {
  const passing: JsonValue[] = [];
  for (const item of list) {
    const found = walk([item], path);
    if (test === undefined) {
      if (found !== undefined && found.length > 0) passing.push(item);
      continue;
    }
    if (found === undefined || found.length > 1) return undefined;
    const [left] = found;
    if (left === undefined) continue;
    const passes = compare(left, test);
    if (passes === undefined) return undefined;
    if (passes) passing.push(item);
  }
  return passing;
}

/** Undefined when the values are not comparable. */
function compare(left: JsonValue, { operator, value: right }: Test): boolean | undefined {
  if (typeof left !== typeof right || typeof left === "object") return undefined;
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (typeof left === "boolean") return undefined;
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
