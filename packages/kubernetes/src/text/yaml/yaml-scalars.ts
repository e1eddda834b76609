import { atDocumentMark, type Cursor, fold, isBlank, isBreak, nextLine, scanError } from "./yaml-characters.ts";

/**
 * Scans an unquoted scalar. `multiline` when it contains or is followed by line breaks: a key may then begin after it.
 */
export function scanPlainScalar(cursor: Cursor): { readonly text: string; readonly multiline: boolean } {
  const { text, flowLevel } = cursor;
  const indent = cursor.indent + 1;
  let out = "";
  let gap = "";
  let broken = false;
  for (;;) {
    if (atDocumentMark(cursor) || text.charCodeAt(cursor.at) === 35) break;
    const start = cursor.at;
    const end = endOfPlainWord(text, start, flowLevel > 0);
    if (end > start) {
      out += gap + text.slice(start, end);
      cursor.at = end;
      gap = "";
      broken = false;
    }
    const code = text.charCodeAt(end);
    if (!isBlank(code) && !isBreak(code)) break;
    let firstBreak: string | undefined;
    let moreBreaks = "";
    const blanks = cursor.at;
    for (let here = code; isBlank(here) || isBreak(here); here = text.charCodeAt(cursor.at)) {
      if (isBlank(here)) {
        if (firstBreak !== undefined && here === 9 && cursor.at - cursor.lineStart < indent)
          throw scanError(cursor, "found a tab character that violates indentation");
        cursor.at++;
      } else if (firstBreak === undefined) firstBreak = nextLine(cursor);
      else moreBreaks += nextLine(cursor);
    }
    if (firstBreak === undefined) gap = text.slice(blanks, cursor.at);
    else {
      gap = fold(firstBreak, moreBreaks);
      broken = true;
    }
    if (flowLevel === 0 && cursor.at - cursor.lineStart < indent) break;
  }
  return { text: out, multiline: broken };
}

/** Offset of the space, line break or indicator that ends a word of a plain scalar. */
function endOfPlainWord(text: string, start: number, inFlow: boolean): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 0x85 || code === 0x2028 || code === 0x2029) return at;
    if (code === 58) {
      const next = text.charCodeAt(at + 1);
      if (Number.isNaN(next) || isBlank(next) || isBreak(next)) return at;
    } else if (inFlow && (code === 44 || code === 63 || code === 91 || code === 93 || code === 123 || code === 125))
      return at;
  }
  return at;
}

/** Scans a quoted scalar from its opening quote. */
export function scanFlowScalar(cursor: Cursor, single: boolean): string {
  const { text } = cursor;
  const start = cursor.at++;
  const quote = single ? 39 : 34;
  let out = "";
  for (;;) {
    if (atDocumentMark(cursor)) throw scanError(cursor, "found unexpected document indicator");
    let from = cursor.at;
    let code = text.charCodeAt(cursor.at);
    let escapedBreak = false;
    while (!Number.isNaN(code) && !isBlank(code) && !isBreak(code)) {
      if (code === quote) {
        if (!single || text.charCodeAt(cursor.at + 1) !== quote) {
          out += text.slice(from, cursor.at);
          cursor.at++;
          return out;
        }
        out += `${text.slice(from, cursor.at)}'`;
        cursor.at += 2;
        from = cursor.at;
      } else if (!single && code === 92) {
        out += text.slice(from, cursor.at);
        if (isBreak(text.charCodeAt(cursor.at + 1))) {
          cursor.at++;
          nextLine(cursor);
          escapedBreak = true;
          from = cursor.at;
          break;
        }
        out += scanEscape(cursor);
        from = cursor.at;
      } else cursor.at++;
      code = text.charCodeAt(cursor.at);
    }
    out += text.slice(from, cursor.at);
    if (cursor.at >= text.length) {
      // Go's reader appends a line break to the last line.
      if (cursor.at > cursor.lineStart) cursor.line++;
      throw scanError(cursor, "found unexpected end of stream", start);
    }
    out += scanGap(cursor, escapedBreak);
  }
}

/** White space inside quotes; after an escaped line break leading spaces are dropped. */
function scanGap(cursor: Cursor, escapedBreak: boolean): string {
  const { text } = cursor;
  const start = cursor.at;
  let firstBreak: string | undefined;
  let moreBreaks = "";
  for (let code = text.charCodeAt(start); isBlank(code) || isBreak(code); code = text.charCodeAt(cursor.at)) {
    if (isBlank(code)) cursor.at++;
    else if (firstBreak === undefined && !escapedBreak) firstBreak = nextLine(cursor);
    else moreBreaks += nextLine(cursor);
  }
  if (escapedBreak) return moreBreaks;
  return firstBreak === undefined ? text.slice(start, cursor.at) : fold(firstBreak, moreBreaks);
}

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\u0007",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\u001b",
  " ": " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function scanEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.at + 1);
  const simple = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
  if (simple !== undefined) {
    cursor.at += 2;
    return simple;
  }
  const length = Object.hasOwn(hexLengths, letter) ? hexLengths[letter] : undefined;
  if (length === undefined) throw scanError(cursor, "found unknown escape character");
  const digits = cursor.text.slice(cursor.at + 2, cursor.at + 2 + length);
  if (digits.length !== length || !/^[0-9a-fA-F]+$/.test(digits))
    throw scanError(cursor, "did not find expected hexdecimal number");
  const code = Number.parseInt(digits, 16);
  // Go encodes UTF-8: an escaped surrogate is invalid, even as part of a pair.
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    throw scanError(cursor, "found invalid Unicode character escape code");
  cursor.at += 2 + length;
  return String.fromCodePoint(code);
}

/** Scans a literal (`|`) or folded (`>`) scalar from its indicator. */
export function scanBlockScalar(cursor: Cursor, literal: boolean): string {
  const { text } = cursor;
  const start = cursor.at++;
  const { keep, strip, increment } = scanBlockHeader(cursor);
  const parent = Math.max(cursor.indent, 0);
  let indent = increment === 0 ? 0 : parent + increment;
  let breaks: string;
  [indent, breaks] = scanBlockBreaks(cursor, indent, start);
  const parts: string[] = [];
  let leadingBlank = false;
  let leadingBreak = "";
  while (cursor.at - cursor.lineStart === indent && cursor.at < text.length) {
    const startsBlank = isBlank(text.charCodeAt(cursor.at));
    if (!literal && leadingBreak === "\n" && !leadingBlank && !startsBlank) {
      if (breaks === "") parts.push(" ");
    } else parts.push(leadingBreak);
    parts.push(breaks);
    leadingBlank = startsBlank;
    const from = cursor.at;
    while (cursor.at < text.length && !isBreak(text.charCodeAt(cursor.at))) cursor.at++;
    parts.push(text.slice(from, cursor.at));
    leadingBreak = cursor.at < text.length ? nextLine(cursor) : "";
    [indent, breaks] = scanBlockBreaks(cursor, indent, start);
  }
  if (!strip) parts.push(leadingBreak);
  if (keep) parts.push(breaks);
  return parts.join("");
}

function scanBlockHeader(cursor: Cursor): {
  readonly keep: boolean;
  readonly strip: boolean;
  readonly increment: number;
} {
  const { text } = cursor;
  const marks = /(?:[-+][0-9]?|[0-9][-+]?)?/y;
  marks.lastIndex = cursor.at;
  const header = marks.exec(text)?.[0] ?? "";
  if (header.includes("0")) throw scanError(cursor, "found an indentation indicator equal to 0");
  cursor.at += header.length;
  while (isBlank(text.charCodeAt(cursor.at))) cursor.at++;
  if (text.charCodeAt(cursor.at) === 35)
    while (cursor.at < text.length && !isBreak(text.charCodeAt(cursor.at))) cursor.at++;
  if (cursor.at < text.length) {
    if (!isBreak(text.charCodeAt(cursor.at))) throw scanError(cursor, "did not find expected comment or line break");
    nextLine(cursor);
  }
  return { keep: header.includes("+"), strip: header.includes("-"), increment: Number(/[0-9]/.exec(header)?.[0] ?? 0) };
}

/** Skips indentation and empty lines; determines the indentation when it is unknown. */
function scanBlockBreaks(cursor: Cursor, known: number, start: number): [number, string] {
  const { text } = cursor;
  let widest = 0;
  let breaks = "";
  for (;;) {
    while ((known === 0 || cursor.at - cursor.lineStart < known) && text.charCodeAt(cursor.at) === 32) cursor.at++;
    widest = Math.max(widest, cursor.at - cursor.lineStart);
    const code = text.charCodeAt(cursor.at);
    if ((known === 0 || cursor.at - cursor.lineStart < known) && code === 9)
      throw scanError(cursor, "found a tab character where an indentation space is expected", start);
    if (!isBreak(code)) break;
    breaks += nextLine(cursor);
  }
  return [known === 0 ? Math.max(widest, cursor.indent + 1, 1) : known, breaks];
}
