import type { Meta } from "../../catalog/decode.ts";
import { doubleJson } from "../../text/documents.ts";

/** A catalog as OLM v1 serves it: one line of canonical JSON per blob, in file order. */
export interface ServedCatalog {
  /** When the content came to be, milliseconds since the epoch. */
  readonly modifiedMs: number;
  readonly content: Uint8Array;
  readonly lines: readonly ServedLine[];
}

interface ServedLine {
  readonly schema: string;
  readonly packageName: string;
  readonly name: string;
  /** Byte offsets in the content; `end` is behind the line feed. */
  readonly start: number;
  readonly end: number;
}

/** What `/metas` may ask for; empty texts ask for nothing. */
export interface MetasQuery {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
}

/** Joins blobs into the content that is served. */
export function servedCatalog(metas: Iterable<Meta>, modifiedMs: number): ServedCatalog {
  const encoder = new TextEncoder();
  const lines: ServedLine[] = [];
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const { schema, packageName, name, json } of metas) {
    const part = encoder.encode(`${doubleJson(json)}\n`);
    lines.push({ schema, packageName, name, start, end: start + part.length });
    parts.push(part);
    start += part.length;
  }
  return { modifiedMs, content: joined(parts), lines };
}

/** The lines that match every part of the query that is set; blobs without a schema are found by no query, as upstream has it. */
export function matching({ content, lines }: ServedCatalog, query: MetasQuery): Uint8Array {
  if (query.schema === "" && query.package === "" && query.name === "") return content;
  const found = lines.filter(
    ({ schema, packageName, name }) =>
      schema !== "" &&
      (query.schema === "" || schema === query.schema) &&
      (query.package === "" || packageName === query.package) &&
      (query.name === "" || name === query.name),
  );
  return joined(found.map(({ start, end }) => content.subarray(start, end)));
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
