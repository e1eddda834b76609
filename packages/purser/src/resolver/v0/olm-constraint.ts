import type { CelEnvironment } from "@purser/kubernetes/cel/cel";
import { compileCel } from "@purser/kubernetes/cel/cel";
import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { Predicate } from "./predicate.ts";
import { packagePredicate } from "./predicate.ts";

/** Bytes that the JSON text of an `olm.constraint` value may have. */
export const maxConstraintBytes = 131_072;

const celEnvironment: CelEnvironment = {
  library: "olm",
  result: "bool",
  variables: new Map([["properties", { kind: "list", items: { kind: "map", values: { kind: "dyn" } } }]]),
};

/** An invalid constraint, with OLM's text. */
class Refusal extends Error {}

type Compound = "all" | "any" | "not";
type Texts = Readonly<Record<string, string>>;

/** What is said of candidates; several keys at one level are allowed upstream, the first of this order counts. */
interface Constraint {
  gvk?: Texts;
  package?: Texts;
  all?: readonly Constraint[];
  any?: readonly Constraint[];
  not?: readonly Constraint[];
  cel?: string;
  failureMessage: string;
}

const shapeProblem = (value: JsonValue): Refusal => {
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new Refusal(`json: cannot unmarshal ${kind} into Go value of type constraints.Constraint`);
};

/** Members by Go's rules: names match in any case, null is absent, unknown names are refused. */
function* membersOf(value: JsonValue, names: readonly string[]): Generator<readonly [name: string, value: JsonValue]> {
  if (!isJsonObject(value)) throw shapeProblem(value);
  for (const [key, found] of Object.entries(value)) {
    const name = names.find((known) => known.toLowerCase() === key.toLowerCase());
    if (name === undefined) throw new Refusal(`json: unknown field "${key}"`);
    if (found !== null && found !== undefined) yield [name, found];
  }
}

function textOf(value: JsonValue): string {
  if (typeof value !== "string") throw shapeProblem(value);
  return value;
}

function textsOf(value: JsonValue, names: readonly string[]): Texts {
  return Object.fromEntries(Array.from(membersOf(value, names), ([name, found]) => [name, textOf(found)]));
}

function compoundOf(value: JsonValue): readonly Constraint[] {
  let constraints: readonly Constraint[] = [];
  for (const [, list] of membersOf(value, ["constraints"])) {
    if (!Array.isArray(list)) throw shapeProblem(list);
    constraints = list.map((part: JsonValue) => (part === null ? { failureMessage: "" } : shapeOf(part)));
  }
  return constraints;
}

function shapeOf(value: JsonValue): Constraint {
  const found: Constraint = { failureMessage: "" };
  for (const [name, part] of membersOf(value, ["failureMessage", "cel", "package", "gvk", "all", "any", "not"])) {
    switch (name) {
      case "failureMessage":
        found.failureMessage = textOf(part);
        break;
      case "cel":
        found.cel = "";
        for (const [, rule] of membersOf(part, ["rule"])) found.cel = textOf(rule);
        break;
      case "package":
        found.package = textsOf(part, ["packageName", "versionRange"]);
        break;
      case "gvk":
        found.gvk = textsOf(part, ["group", "version", "kind"]);
        break;
      default:
        found[name as Compound] = compoundOf(part);
    }
  }
  return found;
}

function predicateOf(constraint: Constraint): Predicate {
  const text = (object: Texts, name: string): string => object[name] ?? "";
  const { gvk, cel } = constraint;
  if (gvk !== undefined)
    return {
      kind: "api",
      api: { group: text(gvk, "group"), version: text(gvk, "version"), kind: text(gvk, "kind") },
    };
  if (constraint.package !== undefined) {
    const { package: wanted } = constraint;
    const predicate = packagePredicate(text(wanted, "packageName"), text(wanted, "versionRange"));
    if (!predicate.ok) throw new Refusal(predicate.problem);
    return predicate.value;
  }
  for (const kind of ["all", "any", "not"] as const) {
    const parts = constraint[kind];
    if (parts !== undefined) return { kind, of: parts.map(predicateOf) };
  }
  if (cel === undefined) throw new Refusal("constraint is empty");
  const program = compileCel(cel, celEnvironment);
  if (!program.ok)
    throw new Refusal(
      program.problem.kind === "result" ? "cel expressions must have type Bool" : program.problem.message,
    );
  return { kind: "cel", program: program.value, rule: cel, message: constraint.failureMessage };
}

function refusing<Value>(prefix: string, work: () => Value): Result<Value, string> {
  try {
    return done(work());
  } catch (error) {
    if (error instanceof Refusal) return failed(`${prefix}: ${error.message}`);
    // Deep nesting is input, not a bug.
    if (error instanceof RangeError) return failed(`${prefix}: exceeded max depth`);
    throw error;
  }
}

function longerThan(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes > limit;
}

/** Reads an `olm.constraint` value; the problem is upstream's text. */
export function parseConstraint(value: JsonValue): Result<Predicate, string> {
  const shape = refusing("parse olm.constraint", () => {
    if (longerThan(JSON.stringify(value), maxConstraintBytes))
      throw new Refusal(`olm.constraint value is greater than max constraint size ${maxConstraintBytes} bytes`);
    return shapeOf(value);
  });
  return shape.ok ? refusing("convert olm.constraint to resolver predicate", () => predicateOf(shape.value)) : shape;
}
