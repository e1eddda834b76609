import { type CelType, formatTypeName } from "../cel-type.ts";
import type { CelFinding } from "../check.ts";
import { readClause } from "./format-clause.ts";
import type { Expr } from "../syntax.ts";

type Types = ReadonlyMap<Expr, CelType>;

/** Compile-time error of `"…".format([…])` when both are literals; `at` is the offset of the call. */
export function checkTemplate(
  template: string,
  args: readonly Expr[],
  types: Types,
  at: number,
): CelFinding | undefined {
  let used = 0;
  for (let i = 0; i < template.length; i++) {
    if (template[i] !== "%") continue;
    if (template[i + 1] === "%") {
      i++;
      continue;
    }
    const argument = args[used];
    if (i + 1 >= template.length)
      return { at, text: argument === undefined ? indexText(used) : "unexpected end of string" };
    const clause = readClause(template, i + 1);
    if (!clause.ok) return { at, text: `could not parse formatting clause: ${clause.problem}` };
    // The clause is parsed before the argument is looked up; the checker acts as if it existed.
    if (argument === undefined) return { at, text: indexText(used) };
    const found = misfit(clause.value.verb, argument, types);
    if (found !== undefined) return found;
    used++;
    i = clause.value.end - 1;
  }
  if (args.length <= used) return undefined;
  return {
    at,
    text: `too many arguments supplied to string.format (expected ${used}, got ${args.length})`,
  };
}

function indexText(index: number): string {
  return `index ${index} out of range`;
}

const printable = new Set([
  "list",
  "map",
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "timestamp",
  "bytes",
  "duration",
  "type",
  "null",
]);

const demands: Readonly<Record<string, readonly [kinds: readonly string[], text: string]>> = {
  d: [["int", "uint"], "decimal clause can only be used on integers"],
  f: [["double", "string"], "fixed-point clause can only be used on doubles"],
  e: [["double", "string"], "scientific clause can only be used on doubles"],
  b: [["int", "uint", "bool"], "only integers and bools can be formatted as binary"],
  o: [["int", "uint"], "octal clause can only be used on integers"],
  x: [["int", "uint", "string", "bytes"], "only integers, byte buffers, and strings can be formatted as hex"],
};

function misfit(verb: string, argument: Expr, types: Types): CelFinding | undefined {
  if (verb === "s") {
    const bad = unprintable(argument, types);
    return bad === undefined
      ? undefined
      : refusal(
          bad,
          types,
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
        );
  }
  const demand = demands[verb.toLowerCase()];
  const type = types.get(argument);
  if (demand === undefined || type === undefined || type.kind === "dyn") return undefined;
  return demand[0].includes(type.kind) ? undefined : refusal(argument, types, demand[1]);
}

function refusal(argument: Expr, types: Types, text: string): CelFinding {
  const type = types.get(argument);
  const name = type === undefined ? "dyn" : formatTypeName(type);
  return { at: argument.at, text: `error during formatting: ${text}, was given ${name}` };
}

function unprintable(argument: Expr, types: Types): Expr | undefined {
  const type = types.get(argument);
  if (type !== undefined && type.kind !== "dyn" && !printable.has(type.kind)) return argument;
  const parts = argument.kind === "list" ? argument.items : argument.kind === "map" ? argument.entries.flat() : [];
  for (const part of parts) {
    const bad = unprintable(part, types);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
