import { TextError } from "../problem.ts";

/** Position of a scanner in its text. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Zero-based. */
  line: number;
  /** Offset of the first character of the line. */
  lineStart: number;
  /** Column of the innermost block collection; -1 outside. */
  readonly indent: number;
  readonly flowLevel: number;
}

/** YAML 1.1 also breaks lines at U+0085, U+2028 and U+2029. False for NaN (after the end). */
export function isBreak(code: number): boolean {
  return code === 10 || code === 13 || code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

export function isBlankOrEnd(text: string, at: number): boolean {
  if (at >= text.length) return true;
  const code = text.charCodeAt(at);
  return isBlank(code) || isBreak(code);
}

/**
 * A scanner error with the line number that Go reports; on the first line Go reports none.
 * @param offset of the place that is reported to users
 */
export function scanError(cursor: Cursor, message: string, offset = cursor.at): TextError {
  return new TextError("syntax", offset, message, cursor.line === 0 ? 0 : cursor.line + 1);
}

/** The zero-based line of an offset. After a last line without a line break Go counts one more. */
export function lineOf(text: string, offset: number): number {
  const before = text.slice(0, offset);
  const lines = before.match(/\r\n|[\n\r\u0085\u2028\u2029]/g)?.length ?? 0;
  return offset >= text.length && before !== "" && !isBreak(before.charCodeAt(offset - 1)) ? lines + 1 : lines;
}

/** Skips a line break and returns its value: a line feed, or the Unicode separator itself. */
export function nextLine(cursor: Cursor): string {
  const code = cursor.text.charCodeAt(cursor.at);
  cursor.at += code === 13 && cursor.text.charCodeAt(cursor.at + 1) === 10 ? 2 : 1;
  cursor.line++;
  cursor.lineStart = cursor.at;
  return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : "\n";
}

/** Whether a line begins with `---` or `...` as a word. */
export function atDocumentMark({ text, at, lineStart }: Cursor): boolean {
  if (at !== lineStart) return false;
  return (text.startsWith("---", at) || text.startsWith("...", at)) && isBlankOrEnd(text, at + 3);
}

/** Line folding in scalars: a single line break becomes a space, of several the first is dropped. */
export function fold(firstBreak: string, moreBreaks: string): string {
  if (firstBreak !== "\n") return firstBreak + moreBreaks;
  return moreBreaks === "" ? " " : moreBreaks;
}
