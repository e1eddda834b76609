import type { Property } from "../../catalog/catalog-index.ts";
import { isJsonObject, member } from "@purser/kubernetes/json";

/**
 * A registry states every required API and package twice: as a property, and as a dependency that OLM translates back into
 * a property and appends. The lists that OLM writes contain both.
 */
export function withTranslatedDependencies(own: readonly Property[]): readonly Property[] {
  const translated = own.flatMap(({ type, value }): readonly Property[] => {
    if (!isJsonObject(value)) return [];
    const text = (name: string): string => {
      const found = member(value, name);
      return typeof found === "string" ? found : "";
    };
    if (type === "olm.gvk.required")
      return [{ type, value: { group: text("group"), version: text("version"), kind: text("kind") } }];
    if (type === "olm.package.required")
      return [{ type, value: { packageName: text("packageName"), versionRange: text("versionRange") } }];
    return [];
  });
  return translated.length === 0 ? own : [...own, ...translated];
}

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Go's encoding of JSON that keeps the order of keys: raw values are passed on as they were written. */
const goRaw = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);

/** `{"properties":[{"type":..,"value":..}]}`, the text of a bundle lookup and of the CSV annotation; `{}` when empty. */
export function propertiesText(properties: readonly Property[]): string {
  if (properties.length === 0) return "{}";
  return `{"properties":[${properties.map(({ type, value }) => `{"type":${goRaw(type)},"value":${goRaw(value)}}`).join(",")}]}`;
}
