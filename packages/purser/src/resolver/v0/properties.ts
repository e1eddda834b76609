import type { Property } from "../../catalog/catalog-index.ts";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/documents";

/**
 * A registry states every required API and package twice: as a property, and as a dependency that OLM translates back into
 * a property and appends. The lists that OLM writes contain both.
 * @returns what is appended
 */
export function translatedDependencies(own: readonly Property[]): readonly Property[] {
  return own.flatMap(({ type, value }): readonly Property[] => {
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
}

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Go's encoding of JSON that keeps the order of keys. */
const goRaw = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);

/**
 * `{"properties":[{"type":..,"value":..}]}`, the text of a bundle lookup and of the CSV annotation; `{}` when empty.
 * @param own keys of their values are sorted, because upstream's catalog loader sorts them
 * @param translated of {@link translatedDependencies}; the keys keep the order of upstream's structs
 */
export function propertiesText(own: readonly Property[], translated: readonly Property[] = []): string {
  const texts = [
    ...own.map(({ type, value }) => `{"type":${goJson(type)},"value":${goJson(value)}}`),
    ...translated.map(({ type, value }) => `{"type":${goJson(type)},"value":${goRaw(value)}}`),
  ];
  return texts.length === 0 ? "{}" : `{"properties":[${texts.join(",")}]}`;
}
