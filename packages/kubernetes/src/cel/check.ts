import { done, failed, type Result } from "../result.ts";
import {
  accepts,
  type Bindings,
  bool,
  type CelType,
  dyn,
  formatType,
  int,
  objectField,
  string,
  substitute,
} from "./cel-type.ts";
import type { FunctionTable } from "./overload.ts";
import { describeAt } from "./source-position.ts";
import type { Expr, Loop } from "./syntax.ts";

export interface CheckContext {
  readonly source: string;
  readonly functions: FunctionTable;
  readonly variables: ReadonlyMap<string, CelType>;
}

/** A type-checked expression. */
export interface CheckedExpression {
  readonly type: CelType;
  readonly types: ReadonlyMap<Expr, CelType>;
}

/** A compile error at an offset of the source. */
export interface CelFinding {
  readonly at: number;
  readonly text: string;
}

/** All compile errors in source order, formatted like cel-go. */
export function describeFindings(source: string, findings: readonly CelFinding[]): string {
  return findings
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, text }) => describeAt(source, at, text))
    .join("\n");
}

/** Type-checks the whole expression. The problem is the compiler's text. */
export function checkCel(node: Expr, context: CheckContext): Result<CheckedExpression, string> {
  const checker = new Checker(context.functions);
  const type = checker.check(node, context.variables);
  if (checker.findings.length > 0) return failed(describeFindings(context.source, checker.findings));
  return done({ type, types: checker.types });
}

/** Type names are values of type `type`. */
const typeNames = new Set(["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"]);

/** The type of an erroneous part; assignable to everything, so that one mistake is reported once. */
const unknown: CelType = { kind: "error" };

type Variables = ReadonlyMap<string, CelType>;

class Checker {
  readonly findings: CelFinding[] = [];
  readonly types = new Map<Expr, CelType>();
  readonly #functions: FunctionTable;

  constructor(functions: FunctionTable) {
    this.#functions = functions;
  }

  check(node: Expr, variables: Variables): CelType {
    const type = this.#typeOf(node, variables);
    this.types.set(node, type);
    return type;
  }

  #refuse(at: number, text: string): CelType {
    this.findings.push({ at, text });
    return unknown;
  }

  #noOverload(at: number, name: string, types: readonly CelType[], isMember: boolean): CelType {
    const shown = types.map(formatType);
    const applied = isMember ? `${shown[0] ?? ""}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
    return this.#refuse(at, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  #typeOf(node: Expr, variables: Variables): CelType {
    switch (node.kind) {
      case "literal":
        return { kind: node.value.kind };
      case "name":
        return this.#name(node, variables);
      case "select":
      case "has":
        return this.#select(node, variables);
      case "index":
        return this.#index(node, variables);
      case "call":
        return this.#call(node, variables);
      case "list":
        return { kind: "list", items: this.#join(node.items, variables) };
      case "map": {
        const keys: CelType[] = [];
        const values: CelType[] = [];
        for (const [key, value] of node.entries) {
          keys.push(this.check(key, variables));
          values.push(this.check(value, variables));
        }
        return { kind: "map", keys: joined(keys), values: joined(values) };
      }
      case "and":
      case "or":
        for (const side of [node.left, node.right]) {
          const type = this.check(side, variables);
          if (!accepts(bool, type, new Map())) this.#mismatch(side.at, bool, type);
        }
        return bool;
      case "if":
        return this.#condition(node, variables);
      case "loop":
        return this.#loop(node, variables);
    }
  }

  #mismatch(at: number, wanted: CelType, found: CelType): void {
    this.#refuse(at, `expected type '${formatType(wanted)}' but found '${formatType(found)}'`);
  }

  #name(node: Extract<Expr, { kind: "name" }>, variables: Variables): CelType {
    const type = variables.get(node.name);
    if (type !== undefined) return type;
    if (typeNames.has(node.name)) return { kind: "type" };
    return this.#refuse(node.at, `undeclared reference to '${node.name}' (in container '')`);
  }

  #select(node: Extract<Expr, { kind: "select" | "has" }>, variables: Variables): CelType {
    if (node.kind === "select" && isTypeName(node)) return { kind: "type" };
    const from = this.check(node.from, variables);
    const wrapped = from.kind === "optional";
    const type = wrapped ? from.of : from;
    const field = fieldType(type, node.field);
    if (field === "unsupported") {
      this.#refuse(node.at, `type '${formatType(type)}' does not support field selection`);
    } else if (field === undefined) this.#refuse(node.at, `undefined field '${node.field}'`);
    if (node.kind === "has") return bool;
    const found = field === "unsupported" ? dyn : (field ?? unknown);
    return wrapped || node.optional ? { kind: "optional", of: found } : found;
  }

  #index(node: Extract<Expr, { kind: "index" }>, variables: Variables): CelType {
    const from = this.check(node.from, variables);
    const index = this.check(node.index, variables);
    const type = from.kind === "optional" ? from.of : from;
    const wraps = node.optional || from.kind === "optional";
    const give = (found: CelType): CelType => (wraps ? { kind: "optional", of: found } : found);
    if (type.kind === "dyn" || type.kind === "param" || type.kind === "error") return give(dyn);
    if (type.kind === "list" && accepts(int, index, new Map())) return give(type.items);
    if (type.kind === "map" && accepts(type.keys ?? string, index, new Map())) return give(type.values);
    return this.#noOverload(node.at, node.optional ? "_[?_]" : "_[_]", [from, index], false);
  }

  #call(node: Extract<Expr, { kind: "call" }>, variables: Variables): CelType {
    const given = node.args.map((argument) => this.check(argument, variables));
    const global = namespacedName(node, { functions: this.#functions });
    const target = global === undefined ? node.target : undefined;
    const types = target === undefined ? given : [this.check(target, variables), ...given];
    const name = global ?? node.name;
    const isMember = target !== undefined;
    if (!this.#functions.has(name)) return this.#refuse(node.at, `undeclared reference to '${name}' (in container '')`);
    const results: CelType[] = [];
    for (const candidate of this.#functions.find(name, isMember) ?? []) {
      const bindings: Bindings = new Map();
      if (candidate.params.length !== types.length) continue;
      if (!candidate.params.every((param, index) => accepts(param, types[index] ?? dyn, bindings))) continue;
      results.push(substitute(candidate.result, bindings));
    }
    const [first, ...rest] = results;
    if (first === undefined) return this.#noOverload(node.at, name, types, isMember);
    return rest.every((type) => formatType(type) === formatType(first)) ? first : dyn;
  }

  #join(nodes: readonly Expr[], variables: Variables): CelType {
    return joined(nodes.map((node) => this.check(node, variables)));
  }

  #condition(node: Extract<Expr, { kind: "if" }>, variables: Variables): CelType {
    const condition = this.check(node.condition, variables);
    const yes = this.check(node.yes, variables);
    const no = this.check(node.no, variables);
    if (!accepts(bool, condition, new Map()) || !compatible(yes, no)) {
      return this.#noOverload(node.at, "_?_:_", [condition, yes, no], false);
    }
    return yes.kind === "null" || hasDyn(yes) ? no : yes;
  }

  #loop(node: Loop, variables: Variables): CelType {
    const over = this.check(node.over, variables);
    let bound = boundTypes(node, over);
    if (bound === undefined) {
      const text = `expression of type '${formatType(over)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.#refuse(node.over.at, text);
      bound = node.variables.map((name) => [name, unknown] as const);
    }
    const inner = new Map([...variables, ...bound]);
    const filter = node.filter === undefined ? undefined : this.check(node.filter, inner);
    const body = this.check(node.body, inner);
    const result = loopResult(node, over, body);
    if (node.macro === "all" || node.macro === "exists") {
      if (!accepts(bool, body, new Map())) this.#mismatch(node.body.at, bool, body);
    } else if (node.macro === "existsOne") this.#chooses(node, body, int);
    else if (node.macro === "filter") this.#chooses(node, body, result);
    else if (node.macro === "sortBy" && !isComparable(body)) {
      return this.#noOverload(node.at, "@sortByAssociatedKeys", [over, { kind: "list", items: body }], true);
    }
    if (filter !== undefined) this.#chooses(node, filter, result);
    return result;
  }

  /** Such a macro expands to a conditional expression whose branches have the result type. */
  #chooses(node: Loop, condition: CelType, built: CelType): void {
    if (!accepts(bool, condition, new Map())) this.#noOverload(node.at, "_?_:_", [condition, built, built], false);
  }
}

const comparable = new Set([
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "bytes",
  "timestamp",
  "duration",
  "dyn",
  "error",
]);

function isComparable(type: CelType): boolean {
  return comparable.has(type.kind);
}

/** The common type; dynamic when the types differ or there is none. */
function joined(types: readonly CelType[]): CelType {
  let common: CelType | undefined;
  for (const type of types) {
    if (common === undefined) common = type;
    else if (!accepts(common, type, new Map())) return dyn;
    else if (common.kind === "null") common = type;
  }
  return common ?? dyn;
}

/** `google.protobuf.Timestamp` and the like are type names. */
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
  if (type.kind === "dyn" || type.kind === "param" || type.kind === "error") return dyn;
  if (type.kind === "map") return type.values;
  if (type.kind === "opaque" && type.name === "authorizer" && field === "requestResource")
    return { kind: "opaque", name: "resourceCheck" };
  return type.kind === "object" ? objectField(type, field)?.type : "unsupported";
}

/** `ip.isCanonical(x)` calls the function of that qualified name, unless `ip` is a variable. */
export function namespacedName(
  node: Extract<Expr, { kind: "call" }>,
  context: { readonly functions: FunctionTable },
): string | undefined {
  if (node.target?.kind !== "name") return undefined;
  const name = `${node.target.name}.${node.name}`;
  return context.functions.find(name, false) === undefined ? undefined : name;
}

function compatible(a: CelType, b: CelType): boolean {
  return accepts(a, b, new Map()) || accepts(b, a, new Map());
}

function hasDyn(type: CelType): boolean {
  if (type.kind === "dyn") return true;
  if (type.kind === "list") return hasDyn(type.items);
  return type.kind === "optional" ? hasDyn(type.of) : type.kind === "map" && hasDyn(type.values);
}

function boundTypes(node: Loop, over: CelType): readonly (readonly [string, CelType])[] | undefined {
  const [first, second] = node.variables;
  if (first === undefined) return undefined;
  const pair = (key: CelType, value: CelType, single: CelType): readonly (readonly [string, CelType])[] =>
    second === undefined
      ? [[first, single]]
      : [
          [first, key],
          [second, value],
        ];
  if (node.macro === "optMap" || node.macro === "optFlatMap") {
    if (over.kind === "dyn" || over.kind === "error") return [[first, dyn]];
    return over.kind === "optional" ? [[first, over.of]] : undefined;
  }
  if (over.kind === "list") return pair(int, over.items, over.items);
  if (over.kind === "map") return pair(over.keys ?? string, over.values, over.keys ?? string);
  return over.kind === "dyn" || over.kind === "error" ? pair(dyn, dyn, dyn) : undefined;
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
