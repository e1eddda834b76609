import type { JsonValue } from "../json.ts";
import { jsonOfScalar, resolvePlain } from "./go-scalar.ts";
import { type BlockLines, outsideSubset } from "./yaml-block-lines.ts";
import { scanFlowScalar } from "./yaml-scalars.ts";

/** The value of an unquoted scalar at `at` below a collection at `column`; continued by deeper lines. */
export function readPlain(lines: BlockLines, at: number, column: number): JsonValue {
  const { text } = lines;
  let value = plainLine(lines, at);
  while (lines.column > column) {
    if (lines.comment) throw outsideSubset;
    const gap = lines.blanks === 0 ? " " : "\n".repeat(lines.blanks);
    value += gap + plainLine(lines, lines.at);
  }
  const first = text.charCodeAt(at);
  const isLetter = (first | 32) >= 97 && (first | 32) <= 122;
  if (isLetter && value.length > longestWord) return value;
  const json = jsonOfScalar(resolvePlain(value), value);
  // Infinities and NaN are refused by the general reader.
  if (json === undefined) throw outsideSubset;
  return json;
}

/** `false`: longer words that begin with a letter are always strings. */
export const longestWord = 5;
const shortLine = 48;

function plainLine(lines: BlockLines, at: number): string {
  const { text } = lines;
  const end = text.indexOf("\n", at);
  if (end - at > shortLine) {
    const line = text.slice(at, end + 1);
    if (line.includes(": ") || line.includes(" #") || text.charCodeAt(end - 1) === 58) throw outsideSubset;
  } else {
    for (let here = at; here < end; here++) {
      const code = text.charCodeAt(here);
      if (code === 58) {
        const after = text.charCodeAt(here + 1);
        if (after === 32 || after === 10) throw outsideSubset;
      } else if (code === 35 && text.charCodeAt(here - 1) === 32) throw outsideSubset;
    }
  }
  let last = end;
  while (text.charCodeAt(last - 1) === 32) last--;
  lines.next(end + 1);
  return text.slice(at, last);
}

/** A quoted scalar, and the offset behind its closing quote. */
export interface Quoted {
  readonly value: string;
  readonly end: number;
  readonly isOneLine: boolean;
}

/** A quoted scalar from its opening quote on. Throws `TextError` where its text is wrong. */
export function readQuoted({ text, column, at: lineAt }: BlockLines, at: number): Quoted {
  const single = text.charCodeAt(at) === 39;
  const close = text.indexOf(single ? "'" : '"', at + 1);
  const lineEnd = text.indexOf("\n", at);
  if (close !== -1 && close < lineEnd) {
    const value = text.slice(at + 1, close);
    const isPlain = single ? text.charCodeAt(close + 1) !== 39 : !value.includes("\\");
    if (isPlain) return { value, end: close + 1, isOneLine: true };
  }
  const cursor = { text, at, line: 0, lineStart: lineAt - column, indent: 0, flowLevel: 0 };
  const value = scanFlowScalar(cursor, single);
  return { value, end: cursor.at, isOneLine: cursor.line === 0 };
}

const indents = Array.from({ length: 64 }, (_, width) => " ".repeat(width));

/** A literal scalar from its `|` on; goes to the line behind it. */
export function readLiteral(lines: BlockLines, at: number, column: number): string {
  const { text } = lines;
  const mark = text.charCodeAt(at + 1);
  const hasMark = mark === 45 || mark === 43;
  let start = at + (hasMark ? 2 : 1);
  if (text.charCodeAt(start) !== 10) throw outsideSubset;
  let leading = -1;
  for (; text.charCodeAt(start) === 10; start++) leading++;
  let body = start;
  while (text.charCodeAt(body) === 32) body++;
  const width = body - start;
  const indent = indents[width];
  // An empty scalar, or blanks that would decide about the indentation.
  if (width <= column || indent === undefined || !(text.charCodeAt(body) > 32)) throw outsideSubset;
  let end = text.indexOf("\n", body);
  let trailing = 0;
  let line = end + 1;
  for (; ; line = text.indexOf("\n", line) + 1) {
    if (text.charCodeAt(line) === 10) trailing++;
    else if (text.startsWith(indent, line)) {
      if (text.charCodeAt(line + width) === 10) trailing++;
      else {
        trailing = 0;
        end = text.indexOf("\n", line + width);
      }
    } else break;
  }
  let behind = line;
  while (text.charCodeAt(behind) === 32) behind++;
  // A line of too few blanks and nothing else.
  if (text.charCodeAt(behind) === 10) throw outsideSubset;
  lines.next(line);
  const content = text.slice(body, end).replaceAll(`\n${indent}`, "\n");
  const ending = mark === 45 ? "" : mark === 43 ? "\n".repeat(trailing + 1) : "\n";
  return leading === 0 ? content + ending : "\n".repeat(leading) + content + ending;
}
