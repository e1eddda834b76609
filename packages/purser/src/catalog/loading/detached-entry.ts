import { invariant } from "@purser/kubernetes/invariant";
import type { JsonValue } from "@purser/kubernetes/json";
import { exactCopy, exactJson, parseJson } from "@purser/kubernetes/text/documents";
import type { KnownImages } from "../known-images.ts";
import type { BlobContent, BundleContent, CatalogBlob, CatalogEntry } from "../model.ts";

/** An entry as text, to be sent to another thread; read by {@link entryOf}. */
export function entryText({ schema, packageName, name, place, content }: CatalogEntry): string {
  return exactJson([schema, packageName, name, place, content] as unknown as JsonValue);
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
export function detached({ schema, packageName, name, place, content }: CatalogBlob): CatalogEntry {
  const copy = exactCopy({ schema, packageName, name, content } as unknown as JsonValue);
  return { ...(copy as unknown as Omit<CatalogEntry, "place">), place };
}

/**
 * What the rules of a valid catalog read of a blob, as an entry: of a bundle neither properties but for the results of
 * reading them, nor related images unless one of them is no reference. Most of a catalog is that.
 * @param ownStrings as a JSON parser makes them; others are copied as by {@link detached}
 */
export function validated(blob: CatalogBlob, ownStrings: boolean, images: KnownImages): CatalogEntry {
  const { schema, packageName, name, place, content: whole } = blob;
  const content: BlobContent =
    whole.kind === "bundle" ? { ...whole, properties: [], relatedImages: brokenAmong(whole, images) } : whole;
  return ownStrings ? { schema, packageName, name, place, content } : detached({ ...blob, content });
}

/** All related images when one of them is broken, since the problem names its place among them. */
function brokenAmong({ relatedImages }: BundleContent, images: KnownImages): BundleContent["relatedImages"] {
  return relatedImages.some(({ image }) => images.problemOf(image) !== undefined) ? relatedImages : [];
}
