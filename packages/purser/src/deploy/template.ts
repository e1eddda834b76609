import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { type Condition, holds } from "./conditions.ts";
import { type InstallValues, type ValueName, valueOf } from "./values.ts";

/** Part of a manifest that depends on the values of an installation. */
export type Marker =
  /** A value as a whole; a key whose value is empty (`""`, `[]`, `{}`) is left out. */
  | { readonly mark: "value"; readonly name: ValueName }
  /** Values within a text. */
  | { readonly mark: "text"; readonly parts: readonly (string | { readonly name: ValueName })[] }
  /** Only where the condition holds: a key, or an item of a list. */
  | { readonly mark: "only"; readonly condition: Condition; readonly body: Template }
  /** The items of a value, as items of the list around it. */
  | { readonly mark: "items"; readonly name: ValueName };

/** A manifest with markers: every installation is one of its resolutions. */
export type Template = JsonValue | Marker | readonly Template[] | { readonly [key: string]: Template };

export const value = (name: ValueName): Marker => ({ mark: "value", name });
export const items = (name: ValueName): Marker => ({ mark: "items", name });
export const only = (condition: Condition, body: Template): Marker => ({ mark: "only", condition, body });

/** A text with values: text`--namespace=${"namespace"}`. */
export function text(strings: TemplateStringsArray, ...names: readonly ValueName[]): Marker {
  return {
    mark: "text",
    parts: strings.flatMap((part, index) => {
      const name = names[index];
      return [...(part === "" ? [] : [part]), ...(name === undefined ? [] : [{ name }])];
    }),
  };
}

/** Whether a template is a marker and not an object of a manifest, none of which has a field `mark`. */
export function isMarker(template: Template): template is Marker {
  return typeof template === "object" && template !== null && "mark" in template;
}

/** Whether a value leaves out the key that it would have. */
function isEmpty(given: JsonValue): boolean {
  if (given === "" || given === null) return true;
  return typeof given === "object" && Object.keys(given).length === 0;
}

const textOf = (given: JsonValue): string => (typeof given === "string" ? given : JSON.stringify(given));

/** The items or the one value that a template stands for; none where its condition does not hold. */
function resolvedItems(template: Template, values: InstallValues): readonly JsonValue[] {
  if (!isMarker(template)) return [resolved(template, values)];
  switch (template.mark) {
    case "value": {
      const given = valueOf(values, template.name);
      return isEmpty(given) ? [] : [given];
    }
    case "text":
      return [
        template.parts.map((part) => (typeof part === "string" ? part : textOf(valueOf(values, part.name)))).join(""),
      ];
    case "only":
      return holds(template.condition, values) ? resolvedItems(template.body, values) : [];
    case "items":
      return valueOf(values, template.name) as readonly JsonValue[];
  }
}

function resolved(template: Exclude<Template, Marker>, values: InstallValues): JsonValue {
  if (Array.isArray(template)) return (template as readonly Template[]).flatMap((item) => resolvedItems(item, values));
  if (typeof template !== "object" || template === null) return template as JsonValue;
  return Object.fromEntries(
    Object.entries(template as { readonly [key: string]: Template }).flatMap(([key, child]) => {
      const [first] = resolvedItems(child, values);
      return first === undefined ? [] : [[key, first]];
    }),
  );
}

/** The object that a template stands for with these values; undefined where its condition does not hold. */
export function resolve(template: Template, values: InstallValues): JsonObject | undefined {
  const [object] = resolvedItems(template, values);
  return object as JsonObject | undefined;
}
