import type { BlobId } from "../../catalog/catalog-index.ts";
import type { Meta } from "../../catalog/decode.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import { isJsonObject } from "../../json.ts";
import { doubleJson, parseJson } from "../../text/documents.ts";

/** A catalog as OLM v1 serves it: one line of canonical JSON per blob, in file order. */
export interface ServedCatalog {
  /** When the content came to be, milliseconds since the epoch. */
  readonly modifiedMs: number;
  lines(): readonly ServedLine[];
}

export interface ServedLine {
  readonly schema: string;
  /** As the blob has it: "" for an `olm.package` without that key. */
  readonly packageName: string;
  readonly name: string;
  /** The blob's JSON and a line feed. */
  read(): Uint8Array;
}

/** What `/metas` may ask for; empty texts ask for nothing. */
export interface MetasQuery {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
}

/** Blobs in memory as a catalog that is served. */
export function servedBlobs(metas: readonly Meta[], modifiedMs: number): ServedCatalog {
  const encoder = new TextEncoder();
  const lines = metas.map(({ schema, packageName, name, json }) => ({
    schema,
    packageName,
    name,
    read: () => encoder.encode(`${doubleJson(json)}\n`),
  }));
  return { modifiedMs, lines: () => lines };
}

/** A stored index as a catalog that is served: only the names of its blobs stay in memory, from the first question on. */
export function servedIndex(index: StoredIndex, modifiedMs: number): ServedCatalog {
  let lines: readonly ServedLine[] | undefined;
  return { modifiedMs, lines: () => (lines ??= indexLines(index)) };
}

function indexLines(index: StoredIndex): readonly ServedLine[] {
  const ids = Array.from({ length: index.header.blobCount }, (_, id) => id as BlobId);
  return ids
    .map((id) => ({ id, order: index.loadOrder(id) }))
    .sort((a, b) => a.order - b.order)
    .map(({ id }) => {
      const json = index.blob(id);
      const text = (key: string): string => {
        const value = Object.entries(json).find(([name]) => name.toLowerCase() === key)?.[1];
        return typeof value === "string" ? value : "";
      };
      return {
        schema: text("schema"),
        packageName: text("package"),
        name: text("name"),
        read: () => doubles(index.blobLine(id)),
      };
    });
}

/** The store keeps integers exactly; the v1 API shows every number as a double. Only long digits can differ. */
function doubles(line: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(line);
  if (!/\d{16}/.test(text)) return line;
  const value = parseJson(text);
  return isJsonObject(value) ? new TextEncoder().encode(`${doubleJson(value)}\n`) : line;
}

/** The lines that match every part of the query that is set; blobs without a schema are found by no query, as upstream has it. */
export function matching(catalog: ServedCatalog, query: MetasQuery): Uint8Array {
  const lines = catalog.lines();
  const isOpen = query.schema === "" && query.package === "" && query.name === "";
  const found = lines.filter(
    ({ schema, packageName, name }) =>
      isOpen ||
      (schema !== "" &&
        (query.schema === "" || schema === query.schema) &&
        (query.package === "" || packageName === query.package) &&
        (query.name === "" || name === query.name)),
  );
  return joined(found.map((line) => line.read()));
}

/** Byte strings one behind the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
