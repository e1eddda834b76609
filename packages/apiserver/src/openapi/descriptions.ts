import { descriptionTexts } from "./description-texts.ts";

/** Of the fields that every object has. */
const ofObjects: ReadonlyMap<string, string> = new Map([
  ["apiVersion", "Group and version of the object."],
  ["kind", "Kind of the object."],
  ["metadata", "Name, labels, owners and what else every object has."],
  ["spec", "What is wanted."],
  ["status", "What is; written by controllers."],
]);

interface Description {
  readonly text: string;
  readonly fields: ReadonlyMap<string, string>;
}

let table: ReadonlyMap<string, Description> | undefined;

function parse(): ReadonlyMap<string, Description> {
  const parsed = new Map<string, { readonly text: string; readonly fields: Map<string, string> }>();
  let fields = new Map<string, string>();
  for (const line of descriptionTexts.trim().split("\n")) {
    const isField = line.startsWith(" ");
    const [, name = "", text = ""] = /^ ?(\S+) (.*)$/.exec(line) ?? [];
    if (isField) fields.set(name, text);
    else parsed.set(name, { text, fields: (fields = new Map()) });
  }
  return parsed;
}

/** Names of the structs that have a description, and of their described fields. */
export function describedStructs(): ReadonlyMap<string, Description> {
  return (table ??= parse());
}

/** A sentence on a struct of the built-in kinds; undefined where none is written. */
export function structDescription(struct: string): string | undefined {
  return describedStructs().get(struct)?.text;
}

/** A sentence on a field of a struct; undefined where none is written. */
export function fieldDescription(struct: string, field: string): string | undefined {
  return describedStructs().get(struct)?.fields.get(field);
}

/** A sentence on a field that every object has, such as `metadata`; undefined for others. */
export function objectFieldDescription(field: string): string | undefined {
  return ofObjects.get(field);
}
