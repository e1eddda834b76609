import { isIndicator, isOrdinary } from "./yaml-scalar-form.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Buffer of the writer before, for the next one. */
let spare: Uint8Array | undefined;
const smallest = 16 * 1024;
const largestSpare = 2 ** 20;

/** Lines are folded at spaces behind this column. */
export const bestWidth = 80;

/**
 * What a YAML writer has written, as UTF-8, and its state in libyaml's terms: `whitespace` and `indention` describe the
 * last output. The methods {@link line}, {@link literal} and {@link doubleQuoted} write the usual scalars letter by letter in
 * one pass; they return false, with nothing written, for a text whose letters need the general way.
 */
export class YamlOutput {
  #bytes: Uint8Array;
  #at = 0;
  column = 0;
  whitespace = true;
  indention = true;

  constructor() {
    this.#bytes = spare ?? new Uint8Array(smallest);
    spare = undefined;
  }

  /** Number of bytes that {@link takeText} would return. */
  get length(): number {
    return this.#at;
  }

  takeText(): string {
    const text = decoder.decode(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return text;
  }

  takeBytes(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#at);
    this.#at = 0;
    return bytes;
  }

  /** Ends the use of this output. */
  close(): void {
    if (this.#bytes.length <= largestSpare) spare = this.#bytes;
    this.#bytes = new Uint8Array(0);
  }

  /** Writes a text without line breaks, or one line break. */
  put(text: string): void {
    if (text.length === 1 && text.charCodeAt(0) < 128) {
      this.#reserve(1);
      this.#bytes[this.#at++] = text.charCodeAt(0);
      this.column = text === "\n" || text === "\r" ? 0 : this.column + 1;
      return;
    }
    this.#reserve(text.length * 3);
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
    if (text === "\u0085" || text === "\u2028" || text === "\u2029") this.column = 0;
    else this.column += astral.test(text) ? Array.from(text).length : text.length;
  }

  /** Begins a line at the indent unless this is its beginning. */
  lineAt(indent: number): void {
    this.#reserve(indent + 1);
    if (!this.indention || this.column > indent || (this.column === indent && !this.whitespace)) {
      this.#bytes[this.#at++] = 10;
      this.column = 0;
    }
    while (this.column < indent) {
      this.#bytes[this.#at++] = 32;
      this.column++;
    }
    this.whitespace = true;
    this.indention = true;
  }

  /** An indicator of one letter; `isIndention`: what follows it is still at the beginning of its line. */
  indicator(mark: string, needsBlank: boolean, isIndention = false): void {
    if (needsBlank && !this.whitespace) this.put(" ");
    this.put(mark);
    this.whitespace = false;
    this.indention = this.indention && isIndention;
  }

  /**
   * A scalar without line breaks, in single quotes or plain; folded at single spaces behind column 80. Also false for a plain
   * one that needs quotes.
   */
  line(text: string, indent: number, folds: boolean, quoted: boolean): boolean {
    const last = text.length - 1;
    if (!quoted && (last < 0 || needsQuotes(text))) return false;
    let { column } = this;
    let at = this.#begin(quoted ? 39 : 0, text.length * 3);
    if (at > this.#at) column += at - this.#at;
    let bytes = this.#bytes;
    let before = 0;
    for (let index = 0, code = 0; index <= last; index++, before = code) {
      code = text.charCodeAt(index);
      if (code === 32) {
        const next = index === last ? 32 : text.charCodeAt(index + 1);
        if (!quoted && (index === last || next === 35)) return false;
        if (folds && column > bestWidth && before !== 32 && next !== 32 && (!quoted || index > 0)) {
          at = this.#fold(at, indent, (last - index) * 3);
          bytes = this.#bytes;
          column = indent;
          continue;
        }
      } else if (code === 58) {
        if (!quoted && (index === last || text.charCodeAt(index + 1) === 32)) return false;
      } else if (code === 39 && quoted) {
        // Two bytes; three are reserved for every letter.
        bytes[at++] = code;
        column++;
      } else if (!isOrdinary(code)) return false;
      column++;
      if (code < 128) bytes[at++] = code;
      else at = utf8(bytes, at, code);
    }
    if (quoted) {
      bytes[at++] = 39;
      column++;
    }
    this.#end(at, column);
    return true;
  }

  /** A literal block; it must have a line break. */
  literal(text: string, indent: number): boolean {
    const last = text.length - 1;
    let at = this.#begin(124, text.length);
    let bytes = this.#bytes;
    const first = text.charCodeAt(0);
    if (first === 32 || first === 10) bytes[at++] = 50;
    const endsInBreak = text.charCodeAt(last) === 10;
    if (!endsInBreak) bytes[at++] = 45;
    else if (last === 0 || text.charCodeAt(last - 1) === 10) bytes[at++] = 43;
    bytes[at++] = 10;
    let lineStart = 0;
    for (let index = 0, code = 10, before = 10; index <= last; index++, before = code) {
      code = text.charCodeAt(index);
      if (code === 10) {
        if (before === 32) return false;
        bytes[at++] = code;
        lineStart = index + 1;
        continue;
      }
      if (!isOrdinary(code)) return false;
      if (before === 10) {
        this.#reserveAt(at, indent + (last - index + 1) * 3);
        bytes = this.#bytes;
        for (let pad = 0; pad < indent; pad++) bytes[at++] = 32;
      }
      if (code < 128) bytes[at++] = code;
      else at = utf8(bytes, at, code);
    }
    if (text.charCodeAt(last) === 32) return false;
    this.#at = at;
    this.column = endsInBreak ? 0 : indent + last + 1 - lineStart;
    this.whitespace = true;
    this.indention = endsInBreak;
    return true;
  }

  /** A scalar in double quotes, with escapes; folded at spaces behind column 80. */
  doubleQuoted(text: string, indent: number, folds: boolean): boolean {
    const last = text.length - 1;
    let at = this.#begin(34, text.length * 4);
    let column = this.column + at - this.#at;
    let bytes = this.#bytes;
    for (let index = 0, code = 0, before = 0; index <= last; index++, before = code) {
      code = text.charCodeAt(index);
      if (code === 32 && folds && column > bestWidth && before !== 32 && index > 0 && index < last) {
        at = this.#fold(at, indent, (last - index) * 4 + 1);
        bytes = this.#bytes;
        column = indent;
        if (text.charCodeAt(index + 1) !== 32) continue;
        bytes[at++] = 92;
        column++;
        continue;
      }
      const escape = code === 34 || code === 92 ? code : code === 10 ? 110 : code === 9 ? 116 : 0;
      if (escape !== 0) {
        bytes[at++] = 92;
        bytes[at++] = escape;
        column += 2;
        continue;
      }
      if (!isOrdinary(code)) return false;
      column++;
      if (code < 128) bytes[at++] = code;
      else at = utf8(bytes, at, code);
    }
    bytes[at++] = 34;
    this.#end(at, column + 1);
    return true;
  }

  /** Where the letters of a scalar begin: behind a blank where one is needed, and behind its mark unless that is 0. */
  #begin(mark: number, length: number): number {
    this.#reserve(length + 8);
    let at = this.#at;
    if (!this.whitespace) this.#bytes[at++] = 32;
    if (mark !== 0) this.#bytes[at++] = mark;
    return at;
  }

  #end(at: number, column: number): void {
    this.#at = at;
    this.column = column;
    this.whitespace = false;
    this.indention = false;
  }

  #fold(from: number, indent: number, rest: number): number {
    this.#reserveAt(from, indent + 1 + rest + 2);
    let at = from;
    this.#bytes[at++] = 10;
    for (let pad = 0; pad < indent; pad++) this.#bytes[at++] = 32;
    return at;
  }

  #reserve(length: number): void {
    this.#reserveAt(this.#at, length);
  }

  #reserveAt(at: number, length: number): void {
    if (at + length <= this.#bytes.length) return;
    const room = new Uint8Array(Math.max(at + length, 2 * this.#bytes.length));
    room.set(this.#bytes.subarray(0, at));
    this.#bytes = room;
  }
}

const astral = /[\ud800-\udbff]/;

/** Writes a letter of two or three bytes; returns the offset behind it. */
function utf8(bytes: Uint8Array, from: number, code: number): number {
  let at = from;
  if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
  else {
    bytes[at++] = 0xe0 | (code >> 12);
    bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
  }
  bytes[at++] = 0x80 | (code & 0x3f);
  return at;
}

/** Whether the first letters keep a scalar from being plain. */
function needsQuotes(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first === 32 || isIndicator(first)) return true;
  if (first === 45 || first === 63 || first === 58)
    return text.length === 1 || text.charCodeAt(1) === 32 || text.startsWith("---");
  return first === 46 && text.startsWith("...");
}
