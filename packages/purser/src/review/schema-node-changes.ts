import { type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { goQuote } from "@purser/kubernetes/go-quote";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { goJson } from "@purser/kubernetes/text/documents";
import { type Branch, branchesOf, branchesWithout } from "./oneof-branches.ts";
import { sameMembers, schemaDifference } from "./schema-equality.ts";
import { unhandledChanges } from "./unhandled-changes.ts";

/** A finding about one node of a schema: the rule's name and upstream's text. */
export interface NodeFinding {
  readonly rule: string;
  readonly text: string;
  /** Distinguishes findings with equal texts. */
  readonly detail: string;
  /** It differs from every other finding, also from one with the same text. */
  readonly isUnique: boolean;
}

type RuleFinding = Pick<NodeFinding, "text" | "isUnique">;
type Rule = (old: JsonObject, next: JsonObject) => readonly (string | RuleFinding)[];

const rules: readonly (readonly [string, readonly string[], Rule])[] = [
  ["default", ["default"], defaultRule],
  ["enum", ["enum"], enumRule],
  ...["maximum", "maxItems", "maxLength", "maxProperties"].map((name) => [name, [name], upperLimit(name)] as const),
  ...["minimum", "minItems", "minLength", "minProperties"].map((name) => [name, [name], lowerLimit(name)] as const),
  ["required", ["required"], requiredRule],
  ["type", ["type"], typeRule],
  ["pattern", ["pattern"], patternRule],
  ["nullable", ["nullable"], nullableRule],
  ["oneOf", ["oneOf"], oneOfRule],
  ["description", ["description"], () => []],
];

const children = new Set(["properties", "items"]);
const handled = new Set([...children, ...rules.flatMap(([, members]) => members)]);

/** What an upgrade would break at one node; its children are checked separately. */
export function nodeFindings(old: JsonObject, next: JsonObject): readonly NodeFinding[] {
  if (sameMembers(old, next, children)) return [];
  const findings = rules.flatMap(([rule, , check]) =>
    check(old, next).map((found) => ({
      rule,
      detail: "",
      ...(typeof found === "string" ? { text: found, isUnique: false } : found),
    })),
  );
  const [before, after] = [without(old), without(next)];
  const unhandled = unhandledChanges(before, after);
  if (unhandled === undefined) return findings;
  const detail = schemaDifference(before, after);
  return [...findings, { rule: "unhandled", text: unhandled, detail, isUnique: false }];
}

function without(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !handled.has(name)));
}

function defaultRule(old: JsonObject, next: JsonObject): readonly string[] {
  const [before, after] = [member(old, "default"), member(next, "default")];
  const shown = (value: JsonValue) => goQuote(goJson(value));
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [`default added when there was none previously : ${shown(after ?? null)}`];
  if (after === undefined) return [`default value removed : ${shown(before)}`];
  return deepEqual(before, after) ? [] : [`default value changed : ${shown(before)} -> ${shown(after)}`];
}

function enumRule(old: JsonObject, next: JsonObject): readonly string[] {
  const values = (node: JsonObject): readonly string[] => {
    const held = member(node, "enum");
    return Array.isArray(held) ? [...new Set(held.map((value: JsonValue) => goJson(value)))].toSorted() : [];
  };
  const [before, after] = [values(old), values(next)];
  if (before.length === 0 && after.length > 0) {
    return [`enum constraint added when there was none previously : [${after.join(" ")}]`];
  }
  const removed = before.filter((value) => !after.includes(value));
  return removed.length === 0 ? [] : [`allowed enum values removed : [${removed.join(" ")}]`];
}

function numberAt(node: JsonObject, name: string): number | undefined {
  const value = member(node, name);
  return typeof value === "number" ? value : undefined;
}

function upperLimit(name: string): Rule {
  return (old, next) => {
    const [before, after] = [numberAt(old, name), numberAt(next, name)];
    if (after === undefined) return [];
    if (before === undefined) return [`maximum constraint added when there was none previously : ${after}`];
    return after < before ? [`maximum decreased : ${before} -> ${after}`] : [];
  };
}

function lowerLimit(name: string): Rule {
  return (old, next) => {
    const [before, after] = [numberAt(old, name), numberAt(next, name)];
    if (after === undefined) return [];
    if (before === undefined) return [`minimum constraint added when there was none previously : ${after}`];
    return after > before ? [`minimum increased : ${before} -> ${after}`] : [];
  };
}

function requiredRule(old: JsonObject, next: JsonObject): readonly string[] {
  const names = (node: JsonObject): readonly JsonValue[] => {
    const held = member(node, "required");
    return Array.isArray(held) ? held : [];
  };
  const before = new Set(names(old));
  const added = [...new Set(names(next))].filter((name) => !before.has(name)).map(String);
  return added.length === 0 ? [] : [`new required fields: [${added.toSorted().join(" ")}]`];
}

function textAt(node: JsonObject, name: string): string {
  const value = member(node, name);
  return typeof value === "string" ? value : "";
}

function typeRule(old: JsonObject, next: JsonObject): readonly string[] {
  const [before, after] = [textAt(old, "type"), textAt(next, "type")];
  return before === after ? [] : [`type changed : ${goQuote(before)} -> ${goQuote(after)}`];
}

function patternRule(old: JsonObject, next: JsonObject): readonly string[] {
  const [before, after] = [textAt(old, "pattern"), textAt(next, "pattern")];
  if (before === after) return [];
  const what = before === "" ? "added" : after === "" ? "removed" : "changed";
  return [`pattern ${what} : ${goQuote(before)} -> ${goQuote(after)}`];
}

function nullableRule(old: JsonObject, next: JsonObject): readonly string[] {
  const [before, after] = [member(old, "nullable") === true, member(next, "nullable") === true];
  if (before === after) return [];
  return [`nullable ${after ? "added" : "removed"} : ${before} -> ${after}`];
}

/** Branches are compared by what they accept: descriptions, titles, examples and links do not count. */
function oneOfRule(old: JsonObject, next: JsonObject): readonly RuleFinding[] {
  const [before, after] = [branchesOf(old), branchesOf(next)];
  const schemasFinding = (what: string, branches: readonly Branch[]): readonly RuleFinding[] => [
    {
      text: `${what}: [${branches.map(({ text }) => text).join(" ")}]`,
      isUnique: branches.some(({ comparable }) => !comparable),
    },
  ];
  if (before.length === 0 && after.length > 0)
    return schemasFinding("oneOf constraint added when there was none previously", after);
  const removed = branchesWithout(before, after);
  if (removed.length > 0) return schemasFinding("allowed oneOf schemas removed", removed);
  const added = branchesWithout(after, before);
  return added.length === 0 ? [] : schemasFinding("allowed oneOf schemas added", added);
}
