import type { JsonValue } from "../../json.ts";
import { jsonOfScalar, resolvePlain } from "../go-scalar.ts";
import { type BlockLines, outsideSubset } from "./yaml-block-lines.ts";
import { scanFlowScalar } from "./yaml-scalars.ts";

/** The plain scalar at `at` inside a collection at `column`; more indented lines continue it. */
export function readPlain(lines: BlockLines, at: number, column: number): JsonValue {
  let value = plainLine(lines, at);
  while (lines.column > column) {
    if (lines.comment) throw outsideSubset;
    const gap = lines.blanks === 0 ? " " : "\n".repeat(lines.blanks);
    value += gap + plainLine(lines, lines.at);
  }
  if (value.length > longestWord && isLetter(lines.codes[at])) return value;
  const json = jsonOfScalar(resolvePlain(value), value);
  // The general reader refuses infinities and NaN.
  if (json === undefined) throw outsideSubset;
  return json;
}

/** Length of `false`: longer words that begin with a letter are always strings. */
export const longestWord = 5;

export function isLetter(code = 0): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

function plainLine(lines: BlockLines, at: number): string {
  const { codes } = lines;
  let end = at;
  let last = at;
  let before = 10;
  for (let code = codes[at] ?? 10; code !== 10; code = codes[++end] ?? 10) {
    if (code === 58 ? lines.isColon(end) : code === 35 && before === 32) throw outsideSubset;
    if (code !== 32) last = end + 1;
    before = code;
  }
  lines.next(end + 1);
  return lines.text.slice(at, last);
}

/** A quoted scalar, and the offset after its closing quote. */
export interface Quoted {
  readonly value: string;
  readonly end: number;
  readonly isOneLine: boolean;
}

/** Reads a quoted scalar from its opening quote. Throws `TextError` for an invalid one. */
export function readQuoted({ text, codes, column, at: lineAt }: BlockLines, at: number): Quoted {
  const quote = codes[at] ?? 0;
  const single = quote === 39;
  // Stops at a backslash or the end of the line, which the general method handles.
  let close = at + 1;
  for (let code = codes[close]; code !== quote && code !== 10 && (single || code !== 92); code = codes[++close]);
  if (codes[close] === quote && !(single && codes[close + 1] === 39))
    return { value: text.slice(at + 1, close), end: close + 1, isOneLine: true };
  const cursor = { text, at, line: 0, lineStart: lineAt - column, indent: 0, flowLevel: 0 };
  const value = scanFlowScalar(cursor, single);
  return { value, end: cursor.at, isOneLine: cursor.line === 0 };
}

const widest = 63;

/** Reads a literal scalar from its `|`; moves to the line after it. */
export function readLiteral(lines: BlockLines, at: number, column: number): string {
  const { text, codes } = lines;
  const mark = codes[at + 1];
  const hasMark = mark === 45 || mark === 43;
  let start = at + (hasMark ? 2 : 1);
  if (codes[start] !== 10) throw outsideSubset;
  let leading = -1;
  for (; codes[start] === 10; start++) leading++;
  const body = behindBlanks(codes, start);
  const width = body - start;
  // An empty scalar, or leading spaces that would determine the indentation.
  if (width <= column || width > widest || !((codes[body] ?? 0) > 32)) throw outsideSubset;
  let end = lines.endOf(body);
  let trailing = 0;
  let line = end + 1;
  let behind = line;
  for (; ; line = behind + 1) {
    const limit = line + width;
    behind = line;
    while (behind < limit && codes[behind] === 32) behind++;
    if (codes[behind] === 10 && (behind === line || behind === limit)) trailing++;
    else if (behind === limit) {
      trailing = 0;
      end = behind = lines.endOf(limit);
    } else break;
  }
  // A line with too few spaces and nothing else.
  if (codes[behind] === 10) throw outsideSubset;
  lines.next(line);
  const content = text.slice(body, end).replaceAll(`\n${" ".repeat(width)}`, "\n");
  const ending = mark === 45 ? "" : mark === 43 ? "\n".repeat(trailing + 1) : "\n";
  return leading === 0 ? content + ending : "\n".repeat(leading) + content + ending;
}

/** Offset of the first code at or after `at` that is not a space. */
export function behindBlanks(codes: Uint8Array, at: number): number {
  let behind = at;
  while (codes[behind] === 32) behind++;
  return behind;
}
