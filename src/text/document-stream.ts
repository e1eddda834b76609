import type { ByteWindow } from "./byte-window.ts";
import { maxDepth, StreamError } from "./problem.ts";
import { countNewlines, decodeLenient } from "./utf8.ts";

/** One document of a stream, cut out but not yet read. Its bytes are good until the next one is asked for. */
export interface DocumentBytes {
  readonly bytes: Uint8Array;
  /** One-based line of the stream on which it begins. */
  readonly line: number;
}

/** True when the first character that is not white space opens an object: Go then reads the stream as JSON. */
export function looksLikeJson(text: string): boolean {
  return /^[\t\n\v\f\r \u0085\u00a0]*\{/.test(text);
}

/** As {@link looksLikeJson}, for a stream that nothing was read of. */
export function beginsAsJson(window: ByteWindow): boolean {
  for (let at = 0; ; at++) {
    while (at + 1 >= window.end && window.grow() !== undefined);
    const byte = at < window.end ? window.bytes[at] : undefined;
    if (byte === 0xc2 && (window.bytes[at + 1] === 0x85 || window.bytes[at + 1] === 0xa0)) at++;
    else if (byte === undefined || (byte !== 32 && (byte < 9 || byte > 13))) return byte === 123;
  }
}

/**
 * Cuts a YAML stream at lines that begin with `---`, as Kubernetes' reader does: such a line opens a document when
 * nothing was read since the last one, else it ends one. Throws {@link StreamError} for text behind the dashes.
 */
export function* cutYaml(window: ByteWindow): Generator<DocumentBytes> {
  let lineStart = window.start;
  let at = lineStart;
  let line = window.line;
  let { bytes, end } = window;
  for (;;) {
    while (at < end && bytes[at] !== 10) at++;
    if (at >= end) {
      const shift = window.grow();
      if (shift !== undefined) {
        ({ bytes, end } = window);
        at -= shift;
        lineStart -= shift;
        continue;
      }
      if (lineStart >= end) break;
    }
    const next = Math.min(at + 1, end);
    if (bytes[lineStart] === 45 && bytes[lineStart + 1] === 45 && bytes[lineStart + 2] === 45 && lineStart + 3 <= at) {
      checkSeparator(bytes.subarray(lineStart + 3, at), line);
      if (lineStart > window.start) {
        window.check(lineStart - window.start);
        yield { bytes: bytes.subarray(window.start, lineStart), line: window.line };
        window.start = next;
        window.line = line + 1;
      }
    }
    line++;
    lineStart = next;
    at = next;
  }
  window.check(end - window.start);
  if (window.start < end) yield { bytes: bytes.subarray(window.start, end), line: window.line };
}

function checkSeparator(bytes: Uint8Array, line: number): void {
  const rest = decodeLenient(bytes).trimStart();
  if (rest !== "" && !rest.startsWith("#"))
    throw new StreamError("syntax", line, 4, `invalid Yaml document separator: ${rest.replace(/\r$/, "")}`);
}

/** A document that JSON's brackets end. */
export interface JsonBytes extends DocumentBytes {
  /** Outside strings stand numbers with more digits than a double surely holds. */
  readonly longNumbers: boolean;
  /** False for the rest of a stream that ended before the brackets closed, or that begins with neither of them. */
  readonly closed: boolean;
}

/** Steps over the white space before the next JSON value; false at the end of the stream. */
export function skipJsonSpace(window: ByteWindow): boolean {
  for (;;) {
    for (; window.start < window.end; window.start++) {
      const byte = window.bytes[window.start];
      if (byte === 10) window.line++;
      else if (byte !== 32 && byte !== 13 && byte !== 9) return true;
    }
    if (window.grow() === undefined) return false;
  }
}

/** Digits of the smallest integer that a double cannot hold. */
const longNumber = 16;

/**
 * Cuts out the object or array at the window's start by its brackets alone; what is inside is judged by the parser.
 * The window stays where it is. Throws {@link StreamError} for what is too deep.
 */
export function cutJson(window: ByteWindow): JsonBytes {
  let { bytes, end } = window;
  let at = window.start;
  let depth = 0;
  let digits = 0;
  let longNumbers = false;
  let inString = false;
  const closes = bytes[at] === 123 || bytes[at] === 91;
  for (;;) {
    if (at >= end) {
      const shift = window.grow();
      if (shift === undefined) break;
      ({ bytes, end } = window);
      at -= shift;
      continue;
    }
    if (inString) {
      let byte = bytes[at];
      while (byte !== 34 && byte !== 92 && ++at < end) byte = bytes[at];
      // What an escape stands before is no end of a string; one letter of it is enough.
      if (byte === 92) at += 2;
      else if (byte === 34 && at < end) {
        inString = false;
        at++;
      }
      continue;
    }
    const byte = bytes[at++] ?? 0;
    if (byte >= 48 && byte <= 57) {
      if (++digits === longNumber) longNumbers = true;
      continue;
    }
    digits = 0;
    if (byte === 34) inString = true;
    else if (byte === 123 || byte === 91) {
      if (++depth > maxDepth) {
        const line = window.line + countNewlines(bytes.subarray(window.start, at), at);
        throw new StreamError("tooDeep", line, undefined, `exceeded max depth of ${maxDepth}`);
      }
    } else if ((byte === 125 || byte === 93) && --depth <= 0 && closes) {
      window.check(at - window.start);
      return { bytes: bytes.subarray(window.start, at), line: window.line, longNumbers, closed: true };
    }
  }
  return { bytes: bytes.subarray(window.start, end), line: window.line, longNumbers: true, closed: false };
}
