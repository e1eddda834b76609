import type { Meta } from "../../catalog/loading/decode.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import { doubleJson } from "@purser/kubernetes/text/documents";
import { type Body, bytesBody, joinedBodies } from "./body.ts";

/** A catalog as OLM v1 serves it: one line of canonical JSON per blob, in file order. */
export interface ServedCatalog {
  /** When the content was last modified, in milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Names the content, for `ETag`; absent: none is sent, as by OLM v1. */
  readonly tag?: string;
  /** The index that holds the content; absent for content in memory. */
  readonly index?: { readonly file: string; readonly digest: string };
  lines(): Iterable<ServedLine>;
}

export interface ServedLine {
  readonly schema: string;
  /** The field `package` of the blob; "" for an `olm.package` without that key. */
  readonly packageName: string;
  readonly name: string;
  /** The blob's JSON and a line feed. */
  readonly body: Body;
}

/** The parameters of `/metas`; an empty string matches everything. */
export interface MetasQuery {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
}

/**
 * Blobs in memory as a served catalog.
 * @testOnly production code serves stored indexes
 */
export function servedBlobs(metas: readonly Meta[], modifiedMs: number): ServedCatalog {
  const encoder = new TextEncoder();
  const lines = metas.map(({ schema, packageName, name, json }) => ({
    schema,
    packageName,
    name,
    body: bytesBody(encoder.encode(`${doubleJson(json)}\n`)),
  }));
  return { modifiedMs, lines: () => lines };
}

/** A stored index as a served catalog; lines are read from disk when they are sent. */
export function servedIndex(
  index: Pick<StoredIndex, "lines" | "readLine" | "file" | "digest">,
  modifiedMs: number,
  tag?: string,
): ServedCatalog {
  const { file, digest } = index;
  return {
    modifiedMs,
    ...(tag === undefined ? {} : { tag }),
    index: { file, digest },
    lines: () => indexLines(index),
  };
}

function* indexLines(index: Pick<StoredIndex, "lines" | "readLine">): Generator<ServedLine> {
  for (const row of index.lines()) {
    const { schema, packageName, name, length } = row;
    yield {
      schema,
      packageName,
      name,
      body: {
        length,
        *pieces() {
          yield index.readLine(row);
        },
      },
    };
  }
}

/** The lines that match all non-empty parameters. As in upstream, no query matches blobs without a schema. */
export function matching(catalog: ServedCatalog, query: MetasQuery): Body {
  const isOpen = query.schema === "" && query.package === "" && query.name === "";
  const found: Body[] = [];
  for (const { schema, packageName, name, body } of catalog.lines()) {
    const isFound =
      isOpen ||
      (schema !== "" &&
        (query.schema === "" || schema === query.schema) &&
        (query.package === "" || packageName === query.package) &&
        (query.name === "" || name === query.name));
    if (isFound) found.push(body);
  }
  return joinedBodies(found);
}
