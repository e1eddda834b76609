import { invariant } from "../invariant.ts";
import type { JsonValue } from "../json.ts";
import { goJsonIndented, parseJson } from "../text/documents.ts";
import type { BlobContent, CatalogBlob, CatalogEntry } from "./model.ts";

/** What {@link detached} keeps as text, for whoever hands entries to another thread. */
export function entryText({ schema, packageName, name, place, content }: CatalogEntry): string {
  const parts = [schema, packageName, name, place, content];
  // Go's writer shows the sign of zero, V8's does not.
  if (content.kind === "bundle" && content.properties.some(({ value }) => holdsMinusZero(value)))
    return goJsonIndented(parts as unknown as JsonValue, "", false).replaceAll("\n", "");
  return JSON.stringify(parts);
}

function holdsMinusZero(value: JsonValue | undefined): boolean {
  if (typeof value !== "object" || value === null) return Object.is(value, -0);
  return (Array.isArray(value) ? (value as readonly JsonValue[]) : Object.values(value)).some(holdsMinusZero);
}

/** Reads what {@link entryText} wrote. Integers that no double holds keep their digits, zero its sign. */
export function entryOf(text: string): CatalogEntry {
  const read = parseJson(text);
  invariant(Array.isArray(read), "an entry's text is a list");
  const [schema, packageName, name, place, content] = read as unknown as readonly [
    string,
    string,
    string,
    JsonValue,
    JsonValue,
  ];
  return {
    schema,
    packageName,
    name,
    place: place as CatalogEntry["place"],
    content: content as unknown as BlobContent,
  };
}

/**
 * The entry without its document. Its strings are copies: V8's substrings keep alive the text that they were cut from,
 * and entries are kept for every blob of a catalog.
 */
export function detached(blob: CatalogBlob): CatalogEntry {
  return { ...entryOf(entryText(blob)), place: blob.place };
}

/** As {@link detached} for a blob whose strings are its own, as a JSON parser makes them. */
export function withoutDocument({ schema, packageName, name, place, content }: CatalogBlob): CatalogEntry {
  return { schema, packageName, name, place, content };
}
