import { descriptionTexts } from "./description-texts.ts";

/** Descriptions of the fields that all objects have. */
const ofObjects: ReadonlyMap<string, string> = new Map([
  ["apiVersion", "Group and version of the object."],
  ["kind", "Kind of the object."],
  ["metadata", "Name, labels, owners and other metadata."],
  ["spec", "Desired state."],
  ["status", "Observed state; written by controllers."],
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

/** Names of the structs with a description, and of their described fields. */
export function describedStructs(): ReadonlyMap<string, Description> {
  return (table ??= parse());
}

/** Description of a built-in struct; undefined when there is none. */
export function structDescription(struct: string): string | undefined {
  return describedStructs().get(struct)?.text;
}

/** Description of a struct's field; undefined when there is none. */
export function fieldDescription(struct: string, field: string): string | undefined {
  return describedStructs().get(struct)?.fields.get(field);
}

/** Description of a field that all objects have, such as `metadata`; undefined for others. */
export function objectFieldDescription(field: string): string | undefined {
  return ofObjects.get(field);
}
