import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import type { PrintedRemedy } from "./printed-remedies.ts";

/** A place in the sources that makes a remedy. */
export interface RemedySite {
  /** Below `src`. */
  readonly file: string;
  /** Its summary, and its command where the summary is none of its own; `*` stands for what is filled in. */
  readonly text: string;
  /** Its command, as far as it is written there. */
  readonly command: string | undefined;
  /** Whether it says that it deletes something. */
  readonly isMarked: boolean;
  meets(remedy: PrintedRemedy): boolean;
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** The texts that an expression may have, with `*` for each part that is filled in; none for one that is made elsewhere. */
function textsOf(node: unknown): readonly string[] {
  if (!isNode(node)) return [];
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" ? [node["value"]] : [];
    case "TemplateLiteral": {
      const quasis = node["quasis"] as readonly { readonly value: { readonly cooked: string } }[];
      return [quasis.map(({ value }) => value.cooked).join("*")];
    }
    case "ConditionalExpression":
      return [...textsOf(node["consequent"]), ...textsOf(node["alternate"])];
    default:
      return [];
  }
}

const keyOf = (property: Node): string => {
  const key = property["key"] as { readonly name?: string; readonly value?: string } | undefined;
  return key?.name ?? key?.value ?? "";
};

const fits = (pattern: string, text: string | undefined): boolean =>
  text !== undefined &&
  new RegExp(
    `^(?:loses data: )?${pattern
      .split("*")
      .map((part) => part.replaceAll(/[.^$+?()[\]{}|\\]/g, "\\$&"))
      .join(".*")}$`,
    "s",
  ).test(text);

function sitesOf(file: string, source: string): readonly RemedySite[] {
  const found: RemedySite[] = [];
  const add = (text: string, meets: RemedySite["meets"], command?: string, isMarked = false): void =>
    void found.push({ file, text, command, isMarked, meets });
  const ofObject = (node: Node): void => {
    const properties = (node["properties"] as readonly Node[]).filter(({ type }) => type === "Property");
    const names = properties.map(keyOf);
    if (!names.includes("summary") || !names.every((name) => ["summary", "command", "patch", "deletes"].includes(name)))
      return;
    const valueOf = (name: string) => textsOf(properties.find((property) => keyOf(property) === name)?.["value"]);
    const [summaries, commands] = [valueOf("summary"), valueOf("command")];
    const isMarked = names.includes("deletes");
    for (const text of summaries) add(text, ({ summary }) => fits(text, summary), commands[0], isMarked);
    if (summaries.length === 0)
      for (const text of commands) add(text, ({ command }) => fits(text, command), text, isMarked);
  };
  const isCommand = (text: string): boolean => /^(purser|kubectl) /.test(text);
  const ofCall = (node: Node): void => {
    const callee = node["callee"] as { readonly name?: string };
    const given = node["arguments"] as readonly Node[];
    if (callee.name === "advised")
      for (const text of given.slice(2).flatMap(textsOf)) add(text, ({ summary }) => fits(text, summary));
  };
  const ofPair = (node: Node): void => {
    const [command, does, ...more] = node["elements"] as readonly unknown[];
    if (more.length > 1 || textsOf(does).length === 0) return;
    for (const text of textsOf(command).filter(isCommand))
      add(text, (remedy) => fits(text, remedy.command), text, more.length === 1);
  };
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (!isNode(value)) return;
    // Of a command's help.
    if (value.type === "Property" && ["examples", "options", "arguments"].includes(keyOf(value))) return;
    if (value.type === "ObjectExpression") ofObject(value);
    if (value.type === "CallExpression") ofCall(value);
    if (value.type === "ArrayExpression") ofPair(value);
    for (const [key, child] of Object.entries(value)) if (key !== "parent") walk(child);
  };
  walk(parseSync(file, source).program);
  return found;
}

/** Every place of the product that makes a remedy, by file. */
export function remedySites(directory: string): readonly RemedySite[] {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.split("/").includes("testing"))
    .toSorted();
  return files.flatMap((file) => {
    const source = readFileSync(join(directory, file), "utf8");
    return /remed|Remed|failure\(|advised\(/.test(source) ? sitesOf(file, source) : [];
  });
}
