import { celCompare, celEqual } from "./cel-equality.ts";
import { CelFault, CelMap, CelOptional, CelTypeValue, CelUint, type CelValue, fault, literalMap } from "./cel-value.ts";
import { allSteps, type Steps } from "../steps.ts";
import { type FunctionTable, holdsValue, type Overload } from "./overload.ts";
import type { CostMeter } from "./cost-meter.ts";
import { presence, readAt } from "./read-member.ts";
import type { Expr, Loop } from "./syntax.ts";
import { namespacedName } from "./check.ts";

type Scope = (name: string) => CelValue | undefined;
type Step = (scope: Scope, meter: CostMeter) => CelValue;
type Paused = (scope: Scope, meter: CostMeter) => Steps<CelValue>;

/** An expression as closures. */
interface Prepared {
  readonly run: Step;
  /** The same with pauses; absent when it goes through no list, so that it takes no time to speak of. */
  readonly inSteps?: Paused;
}

const exhausted = new CelFault("operation cancelled: actual cost limit exceeded", true);

/** Turns a checked expression into closures, once; they run many times. */
export function prepare(node: Expr, functions: FunctionTable): Prepared {
  const { run, inSteps } = prepareNode(node, functions);
  const charged: Step = (scope, meter) => (meter.charge(1) ? run(scope, meter) : exhausted);
  if (inSteps === undefined) return { run: charged };
  return {
    run: charged,
    *inSteps(scope, meter) {
      return meter.charge(1) ? yield* inSteps(scope, meter) : exhausted;
    },
  };
}

/** An expression whose result follows from those of its parts, which are all evaluated. */
function prepareFrom(
  parts: readonly Prepared[],
  combine: (values: readonly CelValue[], meter: CostMeter) => CelValue,
): Prepared {
  const run: Step = (scope, meter) =>
    combine(
      parts.map((part) => part.run(scope, meter)),
      meter,
    );
  if (parts.every(({ inSteps }) => inSteps === undefined)) return { run };
  return {
    run,
    *inSteps(scope, meter) {
      const values: CelValue[] = [];
      for (const part of parts)
        values.push(part.inSteps === undefined ? part.run(scope, meter) : yield* part.inSteps(scope, meter));
      return combine(values, meter);
    },
  };
}

/** An expression that goes through lists, or evaluates some of its parts only. */
const paused = (inSteps: Paused): Prepared => ({ run: (scope, meter) => allSteps(inSteps(scope, meter)), inSteps });

const typeNames: Readonly<Record<string, string>> = {
  bool: "bool",
  int: "int",
  uint: "uint",
  double: "double",
  string: "string",
  bytes: "bytes",
  list: "list",
  map: "map",
  null_type: "null_type",
  type: "type",
};

function prepareNode(node: Expr, functions: FunctionTable): Prepared {
  switch (node.kind) {
    case "literal": {
      const value = literalValue(node.value);
      return { run: () => value };
    }
    case "name": {
      const { name } = node;
      return {
        run: (scope) => {
          const held = scope(name);
          // `null` is a value: only undefined means that the variable does not exist.
          if (held !== undefined) return held;
          return typeValue(name) ?? fault(`no such attribute: ${name}`);
        },
      };
    }
    case "select":
      return prepareSelect(node, functions);
    case "has":
      return prepareFrom([prepare(node.from, functions)], ([from = null]) => presence(from, node.field));
    case "index":
      return prepareFrom(
        [prepare(node.from, functions), prepare(node.index, functions)],
        ([from = null, index = null]) => readAt(from, index, node.optional),
      );
    case "call":
      return prepareCall(node, functions);
    case "list":
      return prepareFrom(
        node.items.map((item) => prepare(item, functions)),
        collect,
      );
    case "map":
      return prepareFrom(
        node.entries.flatMap((entry) => entry.map((part) => prepare(part, functions))),
        mapOf,
      );
    case "and":
    case "or":
      return prepareLogic(node, functions);
    case "if":
      return prepareChoice(node, functions);
    case "loop":
      return prepareLoop(node, functions);
  }
}

/** @param parts key and value in turn */
function mapOf(parts: readonly CelValue[]): CelValue {
  const bad = parts.find((part) => part instanceof CelFault);
  if (bad !== undefined) return bad;
  const pairs: (readonly [CelValue, CelValue])[] = [];
  for (let index = 0; index < parts.length; index += 2) pairs.push([parts[index] ?? null, parts[index + 1] ?? null]);
  return literalMap(pairs) ?? fault("unsupported key type");
}

function prepareChoice(node: Extract<Expr, { kind: "if" }>, functions: FunctionTable): Prepared {
  const condition = prepare(node.condition, functions);
  const then = prepare(node.yes, functions);
  const otherwise = prepare(node.no, functions);
  const chosen = (held: CelValue): Prepared | CelFault => {
    if (typeof held === "boolean") return held ? then : otherwise;
    return held instanceof CelFault ? held : fault("no such overload");
  };
  const run: Step = (scope, meter) => {
    const part = chosen(condition.run(scope, meter));
    return part instanceof CelFault ? part : part.run(scope, meter);
  };
  if ([condition, then, otherwise].every(({ inSteps }) => inSteps === undefined)) return { run };
  return {
    run,
    *inSteps(scope, meter) {
      const part = chosen(yield* evaluated(condition, scope, meter));
      return part instanceof CelFault ? part : yield* evaluated(part, scope, meter);
    },
  };
}

function* evaluated({ run, inSteps }: Prepared, scope: Scope, meter: CostMeter): Steps<CelValue> {
  return inSteps === undefined ? run(scope, meter) : yield* inSteps(scope, meter);
}

function literalValue(value: Extract<Expr, { kind: "literal" }>["value"]): CelValue {
  if (value.kind === "null") return null;
  return value.kind === "uint" ? new CelUint(value.value) : value.value;
}

function typeValue(name: string): CelValue | undefined {
  return Object.hasOwn(typeNames, name) ? new CelTypeValue(name) : undefined;
}

function collect(values: readonly CelValue[]): CelValue {
  return values.find((value) => value instanceof CelFault) ?? values;
}

function prepareSelect(node: Extract<Expr, { kind: "select" }>, functions: FunctionTable): Prepared {
  const { field, optional } = node;
  if (node.from.kind === "select" && node.from.field === "protobuf") {
    const type = new CelTypeValue(`google.protobuf.${field}`);
    return { run: () => type };
  }
  return prepareFrom([prepare(node.from, functions)], ([from = null]) => readAt(from, field, optional));
}

/** Long strings and lists increase the cost of a call. */
function weight(values: readonly CelValue[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === "string" || value instanceof Uint8Array || Array.isArray(value)) size += value.length;
  }
  return Math.ceil(size * 0.1);
}

function prepareCall(node: Extract<Expr, { kind: "call" }>, functions: FunctionTable): Prepared {
  const global = namespacedName(node, { functions });
  const target = global === undefined ? node.target : undefined;
  const parts = (target === undefined ? node.args : [target, ...node.args]).map((argument) =>
    prepare(argument, functions),
  );
  const candidates = (functions.find(global ?? node.name, target !== undefined) ?? []).filter(
    (candidate) => candidate.params.length === parts.length,
  );
  const [only, ...others] = candidates;
  if (
    only !== undefined &&
    others.length === 0 &&
    only.params.every((param) => param.kind === "param" || param.kind === "dyn")
  )
    return prepareFrom(parts, (values, meter) => call(only, values, meter));
  return prepareFrom(parts, (values, meter) => {
    const bad = values.find((value) => value instanceof CelFault);
    if (bad !== undefined) return bad;
    const chosen = candidates.find((candidate) =>
      candidate.params.every((param, index) => holdsValue(param, values[index] ?? null)),
    );
    return chosen === undefined ? fault("no such overload") : call(chosen, values, meter);
  });
}

function call(chosen: Overload, values: readonly CelValue[], meter: CostMeter): CelValue {
  const bad = values.find((value) => value instanceof CelFault);
  if (bad !== undefined) return bad;
  const extra = weight(values) + (chosen.cost ?? 0);
  return extra > 0 && !meter.charge(extra) ? exhausted : chosen.run(...values);
}

/** An error on one side is ignored when the other side decides the result. */
function prepareLogic(node: Extract<Expr, { kind: "and" | "or" }>, functions: FunctionTable): Prepared {
  const left = prepare(node.left, functions);
  const right = prepare(node.right, functions);
  const decisive = node.kind === "or";
  const decides = (side: CelValue): boolean => side === decisive || (side instanceof CelFault && side.isCost);
  const ofBoth = (first: CelValue, second: CelValue): CelValue => {
    if (decides(second)) return second;
    if (typeof first === "boolean")
      return typeof second === "boolean" || second instanceof CelFault ? second : fault("no such overload");
    return first instanceof CelFault ? first : fault("no such overload");
  };
  const run: Step = (scope, meter) => {
    const first = left.run(scope, meter);
    return decides(first) ? first : ofBoth(first, right.run(scope, meter));
  };
  if (left.inSteps === undefined && right.inSteps === undefined) return { run };
  return {
    run,
    *inSteps(scope, meter) {
      const first = yield* evaluated(left, scope, meter);
      return decides(first) ? first : ofBoth(first, yield* evaluated(right, scope, meter));
    },
  };
}

/** The elements that a macro iterates over: pairs of key (or index) and value. */
function rangeOf(over: CelValue): readonly (readonly [CelValue, CelValue])[] | CelFault {
  if (over instanceof CelFault) return over;
  if (Array.isArray(over)) return over.map((item: CelValue, index) => [BigInt(index), item] as const);
  if (over instanceof CelMap) return over.keys().map((key) => [key, over.get(key) ?? null] as const);
  return fault("no such overload");
}

function prepareLoop(node: Loop, functions: FunctionTable): Prepared {
  const over = prepare(node.over, functions);
  const body = prepare(node.body, functions);
  const filter = node.filter === undefined ? undefined : prepare(node.filter, functions);
  const [first = "", second] = node.variables;
  if (node.macro === "optMap" || node.macro === "optFlatMap")
    return paused(function* (scope, meter) {
      const held = yield* evaluated(over, scope, meter);
      if (!(held instanceof CelOptional)) return held instanceof CelFault ? held : fault("no such overload");
      const { value } = held;
      if (value === undefined) return held;
      const given = yield* evaluated(body, (name) => (name === first ? value : scope(name)), meter);
      return given instanceof CelFault || node.macro === "optFlatMap" ? given : new CelOptional(given);
    });
  return paused(function* (scope, meter) {
    const source = yield* evaluated(over, scope, meter);
    const range = rangeOf(source);
    if (range instanceof CelFault) return range;
    const isMap = source instanceof CelMap;
    const inner = (key: CelValue, value: CelValue): Scope => {
      if (second !== undefined) return (name) => (name === first ? key : name === second ? value : scope(name));
      const single = isMap ? key : value;
      return (name) => (name === first ? single : scope(name));
    };
    return yield* runLoop(node.macro, range, isMap, { inner, body, filter }, meter);
  });
}

interface LoopParts {
  readonly inner: (key: CelValue, value: CelValue) => Scope;
  readonly body: Prepared;
  readonly filter: Prepared | undefined;
}

type Range = readonly (readonly [CelValue, CelValue])[];

function* runLoop(
  macro: Loop["macro"],
  range: Range,
  isMap: boolean,
  parts: LoopParts,
  meter: CostMeter,
): Steps<CelValue> {
  if (macro === "all" || macro === "exists") return yield* quantify(range, parts, macro === "exists", meter);
  if (macro === "existsOne") return yield* existsOne(range, parts, meter);
  const { body, filter } = parts;
  const items: CelValue[] = [];
  const pairs: (readonly [CelValue, CelValue])[] = [];
  for (const [key, value] of range) {
    if (!meter.charge(1)) return exhausted;
    if (meter.isDue()) yield;
    const scope = parts.inner(key, value);
    const wanted = filter === undefined ? true : yield* evaluated(filter, scope, meter);
    if (wanted instanceof CelFault) return wanted;
    if (wanted !== true) continue;
    const given = body.inSteps === undefined ? body.run(scope, meter) : yield* body.inSteps(scope, meter);
    if (given instanceof CelFault) return given;
    if (macro === "filter") {
      if (typeof given !== "boolean") return fault("no such overload");
      if (given) items.push(isMap ? key : value);
    } else if (macro === "sortBy" || macro === "transformMap")
      pairs.push(macro === "sortBy" ? [given, value] : [key, given]);
    else if (macro === "transformMapEntry") {
      if (!(given instanceof CelMap)) return fault("no such overload");
      for (const name of given.keys()) {
        if (pairs.some(([held]) => celEqual(held, name)))
          return fault(`insert failed: key ${scalarKeyText(name)} already exists`);
        pairs.push([name, given.get(name) ?? null]);
      }
    } else items.push(given);
  }
  if (macro === "sortBy") return pairs.toSorted(([a], [b]) => celCompare(a, b) ?? 0).map(([, value]) => value);
  if (macro === "transformMap" || macro === "transformMapEntry")
    return literalMap(pairs) ?? fault("unsupported key type");
  return items;
}

function scalarKeyText(key: CelValue): string {
  if (key instanceof CelUint) return String(key.value);
  return typeof key === "string" || typeof key === "bigint" || typeof key === "boolean" ? String(key) : "";
}

/** Continues after an error, because a later item may decide the result. */
function* quantify(range: Range, { inner, body }: LoopParts, decisive: boolean, meter: CostMeter): Steps<CelValue> {
  let problem: CelFault | undefined;
  for (const [key, value] of range) {
    if (!meter.charge(1)) return exhausted;
    if (meter.isDue()) yield;
    const scope = inner(key, value);
    const given = body.inSteps === undefined ? body.run(scope, meter) : yield* body.inSteps(scope, meter);
    if (given === decisive) return decisive;
    if (given instanceof CelFault) {
      if (given.isCost) return given;
      problem ??= given;
    } else if (typeof given !== "boolean") problem ??= fault("no such overload");
  }
  return problem ?? !decisive;
}

function* existsOne(range: Range, { inner, body }: LoopParts, meter: CostMeter): Steps<CelValue> {
  let count = 0;
  for (const [key, value] of range) {
    if (!meter.charge(1)) return exhausted;
    if (meter.isDue()) yield;
    const scope = inner(key, value);
    const given = body.inSteps === undefined ? body.run(scope, meter) : yield* body.inSteps(scope, meter);
    if (given instanceof CelFault) return given;
    if (given === true) count++;
  }
  return count === 1;
}
