import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import { done, failed, type Result } from "../result.ts";
import { describeAt } from "./source-position.ts";
import { childrenOf, type Expr, type LiteralValue, type Loop } from "./syntax.ts";

/**
 * The library provides the grammar only; checking and evaluation are ours, so that types, limits and error texts match
 * Kubernetes.
 */
const environment = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 10_000, maxMapEntries: 10_000, maxCallArguments: 64 },
});

/** Parses an expression; the problem has the text of cel-go. */
export function parseCel(source: string): Result<Expr, string> {
  try {
    return convert(environment.parse(source).ast, source);
  } catch (error) {
    if (error instanceof ParseError) {
      return failed(describeAt(source, error.range?.start ?? 0, `Syntax error: ${error.summary}`));
    }
    throw error;
  }
}

class Refusal extends Error {
  readonly at: number | undefined;

  constructor(text: string, at?: number) {
    super(text);
    this.at = at;
  }
}

function convert(ast: ASTNode, source: string): Result<Expr, string> {
  try {
    const parsed = expression(ast);
    refuseLiterals(parsed);
    return done(parsed);
  } catch (error) {
    if (error instanceof Refusal) return failed(describeAt(source, error.at ?? ast.start, error.message));
    throw error;
  }
}

/** Signs have been merged into literals before. */
function refuseLiterals(node: Expr): void {
  if (node.kind === "literal" && node.value.kind === "int") {
    const { value } = node.value;
    if (BigInt.asIntN(64, value) !== value) throw new Refusal("invalid int literal", node.at);
  }
  for (const child of childrenOf(node)) refuseLiterals(child);
}

const operators: Readonly<Record<string, string>> = {
  "==": "_==_",
  "!=": "_!=_",
  "<": "_<_",
  "<=": "_<=_",
  ">": "_>_",
  ">=": "_>=_",
  "+": "_+_",
  "-": "_-_",
  "*": "_*_",
  "/": "_/_",
  "%": "_%_",
  in: "@in",
};

function expression(ast: ASTNode): Expr {
  const at = ast.start;
  switch (ast.op) {
    case "value":
      return { kind: "literal", value: literal(ast.args), at };
    case "id":
      return { kind: "name", name: ast.args, at };
    case ".":
    case ".?":
      return {
        kind: "select",
        from: expression(ast.args[0]),
        field: ast.args[1],
        optional: ast.op === ".?",
        at: ast.pos - (ast.op === ".?" ? 2 : 1),
      };
    case "[]":
    case "[?]":
      return {
        kind: "index",
        from: expression(ast.args[0]),
        index: expression(ast.args[1]),
        optional: ast.op === "[?]",
        at: ast.args[0].end,
      };
    case "call":
      return call(ast.args[0], undefined, ast.args[1], at + ast.args[0].length);
    case "rcall":
      return call(ast.args[0], ast.args[1], ast.args[2], ast.args[1].end + 1 + ast.args[0].length);
    case "list":
      return { kind: "list", items: ast.args.map(expression), at };
    case "map":
      return {
        kind: "map",
        entries: ast.args.map(([key, value]) => [expression(key), expression(value)] as const),
        at,
      };
    case "?:":
      return {
        kind: "if",
        condition: expression(ast.args[0]),
        yes: expression(ast.args[1]),
        no: expression(ast.args[2]),
        at: ast.args[0].end + 1,
      };
    case "||":
      return { kind: "or", left: expression(ast.args[0]), right: expression(ast.args[1]), at };
    case "&&":
      return { kind: "and", left: expression(ast.args[0]), right: expression(ast.args[1]), at };
    case "!_":
      return { kind: "call", name: "!_", args: [expression(ast.args)], at };
    case "-_":
      return negated(expression(ast.args), at);
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    case "in": {
      const [left, right] = ast.args;
      const name = operators[ast.op] ?? ast.op;
      return {
        kind: "call",
        name,
        args: [expression(left), expression(right)],
        at: operatorAt(ast.input, left.end, right.start),
      };
    }
  }
}

function operatorAt(source: string, from: number, to: number): number {
  const gap = /[^\s()]/.exec(source.slice(from, to));
  return gap === null ? from : from + gap.index;
}

/** A minus before a number is part of the literal, so that the minimum integer can be written. */
function negated(operand: Expr, at: number): Expr {
  if (operand.kind === "literal" && operand.value.kind === "int" && operand.value.value >= 0n) {
    return { kind: "literal", value: { kind: "int", value: -operand.value.value }, at };
  }
  if (operand.kind === "literal" && operand.value.kind === "double") {
    return { kind: "literal", value: { kind: "double", value: -operand.value.value }, at };
  }
  return { kind: "call", name: "-_", args: [operand], at };
}

function literal(
  value: string | number | bigint | boolean | null | Uint8Array | { readonly value: bigint },
): LiteralValue {
  if (value === null) return { kind: "null" };
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "bigint") return { kind: "int", value };
  if (typeof value === "number") return { kind: "double", value };
  if (typeof value === "string") return { kind: "string", value };
  return value instanceof Uint8Array ? { kind: "bytes", value } : { kind: "uint", value: value.value };
}

/** Macros by name and number of arguments, with the number of variables among them. */
const macros: Readonly<
  Record<string, { readonly macro: Loop["macro"]; readonly variables: number; readonly filtered?: boolean }>
> = {
  "all/2": { macro: "all", variables: 1 },
  "all/3": { macro: "all", variables: 2 },
  "exists/2": { macro: "exists", variables: 1 },
  "exists/3": { macro: "exists", variables: 2 },
  "exists_one/2": { macro: "existsOne", variables: 1 },
  "exists_one/3": { macro: "existsOne", variables: 2 },
  "existsOne/3": { macro: "existsOne", variables: 2 },
  "map/2": { macro: "map", variables: 1 },
  "map/3": { macro: "map", variables: 1, filtered: true },
  "filter/2": { macro: "filter", variables: 1 },
  "transformList/3": { macro: "transformList", variables: 2 },
  "transformList/4": { macro: "transformList", variables: 2, filtered: true },
  "transformMap/3": { macro: "transformMap", variables: 2 },
  "transformMap/4": { macro: "transformMap", variables: 2, filtered: true },
  "transformMapEntry/3": { macro: "transformMapEntry", variables: 2 },
  "transformMapEntry/4": { macro: "transformMapEntry", variables: 2, filtered: true },
  "sortBy/2": { macro: "sortBy", variables: 1 },
  "optMap/2": { macro: "optMap", variables: 1 },
  "optFlatMap/2": { macro: "optFlatMap", variables: 1 },
};

function call(name: string, receiver: ASTNode | undefined, args: readonly ASTNode[], at: number): Expr {
  if (receiver === undefined && name === "has" && args.length === 1) return presence(args[0], at);
  const key = `${name}/${args.length}`;
  const macro = Object.hasOwn(macros, key) ? macros[key] : undefined;
  if (receiver === undefined || macro === undefined) {
    const target = receiver === undefined ? undefined : expression(receiver);
    return { kind: "call", name, ...(target === undefined ? {} : { target }), args: args.map(expression), at };
  }
  const variables = args.slice(0, macro.variables).map((argument) => {
    if (argument.op !== "id") throw new Refusal("argument must be a simple name");
    return argument.args;
  });
  const [first, second] = args.slice(macro.variables).map(expression);
  const body = macro.filtered === true ? second : first;
  if (first === undefined || body === undefined) throw new Refusal(`invalid arguments of the macro ${name}`);
  return {
    kind: "loop",
    macro: macro.macro,
    over: expression(receiver),
    variables,
    ...(macro.filtered === true ? { filter: first } : {}),
    body,
    at,
  };
}

function presence(argument: ASTNode | undefined, at: number): Expr {
  if (argument === undefined || (argument.op !== "." && argument.op !== ".?")) {
    throw new Refusal("invalid argument to has() macro", argument === undefined ? at : expression(argument).at);
  }
  return { kind: "has", from: expression(argument.args[0]), field: argument.args[1], at };
}
