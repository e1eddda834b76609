import { endOfJsonValue } from "./json-document.ts";
import { TextError } from "./problem.ts";

/** One document of a stream, cut out but not yet read. */
export interface DocumentText {
  readonly kind: "json" | "yaml";
  readonly text: string;
  /** One-based line of the stream on which `text` begins. */
  readonly line: number;
  /** Offset of `text` in the stream, in UTF-16 units. */
  readonly offset: number;
}

/** True when the first character that is not white space opens an object: Go then reads the stream as JSON. */
export function looksLikeJson(text: string): boolean {
  return /^[\t\n\v\f\r \u0085\u00a0]*\{/.test(text);
}

/**
 * Cuts a YAML stream at lines that begin with `---`, as Kubernetes' reader does: such a line opens a document when
 * nothing was read since the last one, else it ends one. Throws {@link TextError} for text behind the dashes.
 */
export function* splitYaml(stream: string, from = 0, firstLine = 1): Generator<DocumentText> {
  let line = firstLine;
  let start = from;
  let startLine = firstLine;
  for (let at = from; at < stream.length; line++) {
    const newline = stream.indexOf("\n", at);
    const next = newline === -1 ? stream.length : newline + 1;
    if (stream.startsWith("---", at)) {
      const rest = stream.slice(at + 3, newline === -1 ? next : newline).trimStart();
      if (rest !== "" && !rest.startsWith("#"))
        throw new TextError("syntax", at + 3, `invalid Yaml document separator: ${rest.replace(/\r$/, "")}`);
      if (at > start) {
        yield { kind: "yaml", text: stream.slice(start, at), line: startLine, offset: start };
        start = next;
        startLine = line + 1;
      }
    }
    at = next;
  }
  if (start < stream.length) yield { kind: "yaml", text: stream.slice(start), line: startLine, offset: start };
}

const jsonSpace = /[\t\n\r ]*/y;

/** The next value of a JSON stream at `from`; undefined at the end. Throws {@link TextError}. */
export function nextJson(stream: string, from: number): { readonly start: number; readonly end: number } | undefined {
  jsonSpace.lastIndex = from;
  const start = from + (jsonSpace.exec(stream)?.[0].length ?? 0);
  if (start >= stream.length) return undefined;
  return { start, end: endOfJsonValue(stream, start) };
}

/** Lines between two offsets. */
export function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
