import { done, failed, type Result } from "../result.ts";
import { accepts, type Bindings, bool, type CelType, dyn, formatType, int, string, substitute } from "./cel-type.ts";
import type { FunctionTable } from "./overload.ts";
import { describeAt } from "./source-position.ts";
import type { Expr, Loop } from "./syntax.ts";

export interface CheckContext {
  readonly source: string;
  readonly functions: FunctionTable;
  readonly variables: ReadonlyMap<string, CelType>;
}

type Checked = Result<CelType, string>;

/** Names of types are values of type `type`. */
const typeNames = new Set(["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"]);

/** The type of an expression; all its parts are checked before it runs. A refusal is the compiler's text. */
export function checkCel(node: Expr, context: CheckContext): Checked {
  switch (node.kind) {
    case "literal":
      return done({ kind: node.value.kind });
    case "name":
      return checkName(node.name, node.at, context);
    case "select":
    case "has":
      return checkSelect(node, context);
    case "index":
      return checkIndex(node, context);
    case "call":
      return checkCall(node, context);
    case "list":
      return checkSame(node.items, node.at, context, (items) => ({ kind: "list", items }));
    case "map": {
      const keys = checkSame(
        node.entries.map(([key]) => key),
        node.at,
        context,
        (type) => type,
      );
      if (!keys.ok) return keys;
      return checkSame(
        node.entries.map(([, value]) => value),
        node.at,
        context,
        (values) => ({ kind: "map", keys: keys.value, values }),
      );
    }
    case "and":
    case "or":
      return checkLogic(node, context);
    case "if":
      return checkCondition(node, context);
    case "loop":
      return checkLoop(node, context);
  }
}

function refuse(context: CheckContext, at: number, text: string): Checked {
  return failed(describeAt(context.source, at, text));
}

function checkName(name: string, at: number, context: CheckContext): Checked {
  const type = context.variables.get(name);
  if (type !== undefined) return done(type);
  if (typeNames.has(name)) return done({ kind: "type" });
  return refuse(context, at, `undeclared reference to '${name}' (in container '')`);
}

function checkSelect(node: Extract<Expr, { kind: "select" | "has" }>, context: CheckContext): Checked {
  if (node.kind === "select" && isTypeName(node)) return done({ kind: "type" });
  const from = checkCel(node.from, context);
  if (!from.ok) return from;
  const wrapped = from.value.kind === "optional";
  const type = from.value.kind === "optional" ? from.value.of : from.value;
  const field = fieldType(type, node.field);
  if (field === "unsupported") {
    return refuse(context, node.at, `type '${formatType(from.value)}' does not support field selection`);
  }
  if (field === undefined) return refuse(context, node.at, `undefined field '${node.field}'`);
  if (node.kind === "has") return done(bool);
  return done(wrapped || node.optional ? { kind: "optional", of: field } : field);
}

/** `google.protobuf.Timestamp` and its like name types. */
function isTypeName(node: Extract<Expr, { kind: "select" }>): boolean {
  const inner = node.from;
  return (
    inner.kind === "select" &&
    inner.field === "protobuf" &&
    inner.from.kind === "name" &&
    inner.from.name === "google" &&
    (node.field === "Timestamp" || node.field === "Duration")
  );
}

function fieldType(type: CelType, field: string): CelType | "unsupported" | undefined {
  if (type.kind === "dyn" || type.kind === "param") return dyn;
  if (type.kind === "map") return type.values;
  if (type.kind === "opaque" && type.name === "authorizer" && field === "requestResource")
    return { kind: "opaque", name: "resourceCheck" };
  return type.kind === "object" ? type.fields.get(field)?.type : "unsupported";
}

function checkIndex(node: Extract<Expr, { kind: "index" }>, context: CheckContext): Checked {
  const from = checkCel(node.from, context);
  if (!from.ok) return from;
  const index = checkCel(node.index, context);
  if (!index.ok) return index;
  const type = from.value.kind === "optional" ? from.value.of : from.value;
  const wraps = node.optional || from.value.kind === "optional";
  const give = (found: CelType): Checked => done(wraps ? { kind: "optional", of: found } : found);
  if (type.kind === "dyn" || type.kind === "param") return give(dyn);
  if (type.kind === "list" && (index.value.kind === "int" || index.value.kind === "dyn")) return give(type.items);
  if (type.kind === "map" && accepts(type.keys ?? string, index.value, new Map())) return give(type.values);
  const name = node.optional ? "_[?_]" : "_[_]";
  const applied = `(${formatType(from.value)}, ${formatType(index.value)})`;
  return refuse(context, node.at, `found no matching overload for '${name}' applied to '${applied}'`);
}

function checkCall(node: Extract<Expr, { kind: "call" }>, context: CheckContext): Checked {
  const global = namespacedName(node, context);
  const target = global === undefined ? node.target : undefined;
  const types: CelType[] = [];
  for (const argument of target === undefined ? node.args : [target, ...node.args]) {
    // What a template prints may be of any mixture of types.
    const isTemplate = node.name === "format" && target !== undefined && argument !== target;
    const type =
      isTemplate && argument.kind === "list" ? checkMixed(argument.items, context) : checkCel(argument, context);
    if (!type.ok) return type;
    types.push(type.value);
  }
  const name = global ?? node.name;
  const candidates = context.functions.find(name, target !== undefined);
  if (candidates === undefined) {
    // A function of that name that is no member (or the reverse) is as unknown as none at all.
    return refuse(context, node.at, `undeclared reference to '${name}' (in container '')`);
  }
  const results: CelType[] = [];
  for (const candidate of candidates) {
    const bindings: Bindings = new Map();
    if (candidate.params.length !== types.length) continue;
    if (!candidate.params.every((param, index) => accepts(param, types[index] ?? dyn, bindings))) continue;
    results.push(substitute(candidate.result, bindings));
  }
  const [first, ...rest] = results;
  if (first === undefined) {
    const shown = types.map(formatType);
    const applied = target === undefined ? `(${shown.join(", ")})` : `${shown[0] ?? ""}.(${shown.slice(1).join(", ")})`;
    return refuse(context, node.at, `found no matching overload for '${name}' applied to '${applied}'`);
  }
  return done(rest.every((type) => formatType(type) === formatType(first)) ? first : dyn);
}

/** `ip.isCanonical(x)` calls a function of that whole name, unless `ip` is a variable. */
export function namespacedName(
  node: Extract<Expr, { kind: "call" }>,
  context: { readonly functions: FunctionTable },
): string | undefined {
  if (node.target?.kind !== "name") return undefined;
  const name = `${node.target.name}.${node.name}`;
  return context.functions.find(name, false) === undefined ? undefined : name;
}

function checkMixed(items: readonly Expr[], context: CheckContext): Checked {
  for (const item of items) {
    const type = checkCel(item, context);
    if (!type.ok) return type;
  }
  return done({ kind: "list", items: dyn });
}

/** All parts of a list or map must have one type; without parts it is dynamic. */
function checkSame(
  nodes: readonly Expr[],
  at: number,
  context: CheckContext,
  wrap: (type: CelType) => CelType,
): Checked {
  let common: CelType | undefined;
  for (const node of nodes) {
    const type = checkCel(node, context);
    if (!type.ok) return type;
    if (common === undefined || common.kind === "dyn") common ??= type.value;
    else if (!accepts(common, type.value, new Map())) {
      return refuse(context, at, `expected type '${formatType(common)}' but found '${formatType(type.value)}'`);
    }
  }
  return done(wrap(common ?? dyn));
}

function checkLogic(node: Extract<Expr, { kind: "and" | "or" }>, context: CheckContext): Checked {
  const left = checkCel(node.left, context);
  if (!left.ok) return left;
  const right = checkCel(node.right, context);
  if (!right.ok) return right;
  if (accepts(bool, left.value, new Map()) && accepts(bool, right.value, new Map())) return done(bool);
  const name = node.kind === "and" ? "_&&_" : "_||_";
  const applied = `(${formatType(left.value)}, ${formatType(right.value)})`;
  return refuse(context, node.at, `found no matching overload for '${name}' applied to '${applied}'`);
}

function checkCondition(node: Extract<Expr, { kind: "if" }>, context: CheckContext): Checked {
  const condition = checkCel(node.condition, context);
  if (!condition.ok) return condition;
  const then = checkCel(node.yes, context);
  if (!then.ok) return then;
  const otherwise = checkCel(node.no, context);
  if (!otherwise.ok) return otherwise;
  if (!accepts(bool, condition.value, new Map()) || !compatible(then.value, otherwise.value)) {
    const shown = [condition.value, then.value, otherwise.value].map(formatType).join(", ");
    return refuse(context, node.at, `found no matching overload for '_?_:_' applied to '(${shown})'`);
  }
  if (then.value.kind === "null" || hasDyn(then.value)) return done(otherwise.value);
  return done(then.value);
}

function compatible(a: CelType, b: CelType): boolean {
  return accepts(a, b, new Map()) || accepts(b, a, new Map());
}

function hasDyn(type: CelType): boolean {
  if (type.kind === "dyn") return true;
  if (type.kind === "list") return hasDyn(type.items);
  return type.kind === "optional" ? hasDyn(type.of) : type.kind === "map" && hasDyn(type.values);
}

function checkLoop(node: Loop, context: CheckContext): Checked {
  const over = checkCel(node.over, context);
  if (!over.ok) return over;
  const bound = boundTypes(node, over.value);
  if (bound === undefined) {
    const text = `expression of type '${formatType(over.value)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    return refuse(context, node.at, text);
  }
  const inner = { ...context, variables: new Map([...context.variables, ...bound]) };
  if (node.filter !== undefined) {
    const filter = expectBool(node.filter, inner);
    if (!filter.ok) return filter;
  }
  const needsBool = ["all", "exists", "existsOne", "filter"].includes(node.macro);
  const body = needsBool ? expectBool(node.body, inner) : checkCel(node.body, inner);
  return body.ok ? done(loopResult(node, over.value, body.value)) : body;
}

function expectBool(node: Expr, context: CheckContext): Checked {
  const type = checkCel(node, context);
  if (!type.ok || accepts(bool, type.value, new Map())) return type;
  return refuse(context, node.at, `expected type 'bool' but found '${formatType(type.value)}'`);
}

function boundTypes(node: Loop, over: CelType): readonly (readonly [string, CelType])[] | undefined {
  const [first, second] = node.variables;
  if (first === undefined) return undefined;
  if (node.macro === "optMap" || node.macro === "optFlatMap") {
    if (over.kind === "dyn") return [[first, dyn]];
    return over.kind === "optional" ? [[first, over.of]] : undefined;
  }
  if (over.kind === "list")
    return second === undefined
      ? [[first, over.items]]
      : [
          [first, int],
          [second, over.items],
        ];
  if (over.kind === "map") {
    const keys = over.keys ?? string;
    return second === undefined
      ? [[first, keys]]
      : [
          [first, keys],
          [second, over.values],
        ];
  }
  if (over.kind !== "dyn") return undefined;
  return second === undefined
    ? [[first, dyn]]
    : [
        [first, dyn],
        [second, dyn],
      ];
}

function loopResult(node: Loop, over: CelType, body: CelType): CelType {
  switch (node.macro) {
    case "all":
    case "exists":
    case "existsOne":
      return bool;
    case "filter":
    case "sortBy":
      return {
        kind: "list",
        items: over.kind === "list" ? over.items : over.kind === "map" ? (over.keys ?? string) : dyn,
      };
    case "map":
    case "transformList":
      return { kind: "list", items: body };
    case "transformMap":
      return { kind: "map", keys: over.kind === "map" ? (over.keys ?? string) : int, values: body };
    case "transformMapEntry":
      return body.kind === "map" ? body : { kind: "map", keys: dyn, values: dyn };
    case "optMap":
      return { kind: "optional", of: body };
    case "optFlatMap":
      return body;
  }
}
