import type { ByteWindow } from "./byte-window.ts";
import { maxDepth, StreamError } from "./problem.ts";
import { decodeLenient } from "./utf8.ts";

/** One unparsed document of a stream. Its bytes are valid until the next one is requested. */
export interface DocumentBytes {
  readonly bytes: Uint8Array;
  /** One-based line of the stream on which the document begins. */
  readonly line: number;
}

/** A document of a YAML stream. */
export interface YamlBytes extends DocumentBytes {
  readonly letters: Letters;
}

/**
 * What the bytes of a text are: `ascii` only line feeds and printable ASCII, `unicode` also bytes of other characters,
 * `control` also control characters, tabs and carriage returns among them.
 */
export type Letters = "ascii" | "unicode" | "control";

/** Number of leading bytes that decide whether a stream is read as JSON. */
const guessedBytes = 4096;

/** True when the first character other than white space is `{`: Go then reads the stream as JSON. */
export function looksLikeJson(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isSpace(text.charCodeAt(at))) return text[at] === "{";
  return false;
}

/** As {@link looksLikeJson}, for an unread stream; at most 4 KiB of white space are skipped. */
export function beginsAsJson(window: ByteWindow): boolean {
  while (window.end - window.start < guessedBytes && window.grow() !== undefined);
  const { start, end } = window;
  return looksLikeJson(decodeLenient(window.bytes.subarray(start, Math.min(end, start + guessedBytes))));
}

/** White space as Go's `unicode.IsSpace` has it. */
function isSpace(code: number): boolean {
  if (code < 0x1680) return code === 32 || (code >= 9 && code <= 13) || code === 0x85 || code === 0xa0;
  return /\s/.test(String.fromCharCode(code)) && code !== 0xfeff;
}

/**
 * Skips white space up to and including the first line feed, as Kubernetes' decoder does between a JSON error and the
 * attempt to parse YAML. False when there are fewer than four bytes left or invalid UTF-8.
 */
export function eatLine(window: ByteWindow): boolean {
  for (;;) {
    while (window.end - window.start < 4) if (window.grow() === undefined) return false;
    const next = decodeLenient(window.bytes.subarray(window.start, window.start + 4)).codePointAt(0) ?? 0xfffd;
    if (next === 0xfffd) return false;
    if (!isSpace(next)) return true;
    window.start += next < 0x80 ? 1 : next < 0x800 ? 2 : 3;
    if (next !== 10) continue;
    window.line++;
    return true;
  }
}

/**
 * Splits a YAML stream at lines that begin with `---`, as Kubernetes' reader does: such a line starts a document when
 * nothing was read since the last one, otherwise it ends one. Throws {@link StreamError} for text after the dashes.
 */
export function* cutYaml(window: ByteWindow): Generator<YamlBytes> {
  const scan = new SeparatorScan(window);
  while (scan.next(window)) {
    const { start, line } = window;
    const { bytes, lineStart, at } = scan;
    checkSeparator(bytes.subarray(lineStart + 3, at), scan.line);
    if (lineStart > start) {
      window.check(lineStart - start);
      yield { bytes: bytes.subarray(start, lineStart), line, letters: scan.letters };
      scan.letters = "ascii";
      window.start = Math.min(at + 1, window.end);
      window.line = scan.line + 1;
    }
    scan.step(window);
  }
  const { start, end, line } = window;
  window.check(end - start);
  if (start < end) yield { bytes: window.bytes.subarray(start, end), line, letters: scan.letters };
}

/** Searches a stream for lines that begin with three dashes; V8 optimizes it better than a generator. */
class SeparatorScan {
  bytes: Uint8Array;
  lineStart: number;
  /** Position after a found line, including its line feed. */
  at: number;
  line: number;
  letters: Letters = "ascii";
  #words: Int32Array;

  constructor({ bytes, start, line }: ByteWindow) {
    this.bytes = bytes;
    this.#words = wordsOf(bytes);
    this.lineStart = start;
    this.at = start;
    this.line = line;
  }

  /** Moves past the line that ends at `at`. */
  step({ end }: ByteWindow): void {
    this.at = Math.min(this.at + 1, end);
    this.lineStart = this.at;
    this.line++;
  }

  /** Finds the next such line; false at the end of the stream. */
  next(window: ByteWindow): boolean {
    for (;;) {
      const { bytes, end } = window;
      if (this.bytes !== bytes) this.#words = wordsOf(bytes);
      this.bytes = bytes;
      if (this.#run(bytes, end)) return true;
      const shift = window.grow();
      if (shift === undefined) return this.lineStart < end && isSeparator(bytes, this.lineStart, end);
      this.at -= shift;
      this.lineStart -= shift;
    }
  }

  /** As {@link next} up to `end`, where a line may be incomplete. */
  #run(bytes: Uint8Array, end: number): boolean {
    let { at, lineStart, line } = this;
    let found = false;
    while (!found) {
      at = behindPrintable(bytes, this.#words, at, end);
      if (at >= end) break;
      const byte = bytes[at] ?? 0;
      if (byte !== 10) {
        if (byte < 128) this.letters = "control";
        else if (this.letters === "ascii") this.letters = "unicode";
        at++;
      } else if (isSeparator(bytes, lineStart, at)) found = true;
      else {
        at++;
        lineStart = at;
        line++;
      }
    }
    this.at = at;
    this.lineStart = lineStart;
    this.line = line;
    return found;
  }
}

function isSeparator(bytes: Uint8Array, start: number, end: number): boolean {
  return bytes[start] === 45 && bytes[start + 1] === 45 && bytes[start + 2] === 45 && start + 3 <= end;
}

/** The bytes four at a time. A window's bytes begin where their buffer does. */
function wordsOf({ buffer, byteLength }: Uint8Array): Int32Array {
  return new Int32Array(buffer, 0, byteLength >> 2);
}

/**
 * Offset of the first byte that is not printable ASCII. Every byte of a catalog passes through here once, so four are
 * looked at together.
 */
function behindPrintable(bytes: Uint8Array, words: Int32Array, from: number, end: number): number {
  let at = from;
  while ((at & 3) !== 0 && at < end && isPrintableByte(bytes[at] ?? 0)) at++;
  if ((at & 3) === 0) while (at + 4 <= end && arePrintable(words[at >> 2] ?? 0)) at += 4;
  while (at < end && isPrintableByte(bytes[at] ?? 0)) at++;
  return at;
}

/** A byte below 32 borrows from the next one, 127 carries into the highest bit, and all others above have that bit. */
function arePrintable(word: number): boolean {
  return (((word - 0x20202020) | (word + 0x01010101) | word) & 0x80808080) === 0;
}

function isPrintableByte(byte: number): boolean {
  return byte >= 32 && byte <= 126;
}

function checkSeparator(bytes: Uint8Array, line: number): void {
  const rest = decodeLenient(bytes).trimStart();
  if (rest !== "" && !rest.startsWith("#"))
    throw new StreamError("syntax", line, 4, `invalid Yaml document separator: ${rest.replace(/\r$/, "")}`);
}

/** A JSON document, delimited by its brackets. */
export interface JsonBytes extends DocumentBytes {
  /** Line feeds outside strings; inside strings they are invalid. */
  readonly lineFeeds: number;
  /** Whether there are numbers with an exponent or more digits than a double can represent exactly. */
  readonly longNumbers: boolean;
  /** False for the rest of a stream that ended before the brackets were closed, or that begins with neither bracket. */
  readonly closed: boolean;
}

/** Length of the white space before the next JSON value; undefined when nothing else is left. */
export function jsonSpace(window: ByteWindow): number | undefined {
  for (let at = window.start; ;) {
    for (; at < window.end; at++) {
      const byte = window.bytes[at];
      if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return at - window.start;
    }
    const shift = window.grow();
    if (shift === undefined) return undefined;
    at -= shift;
  }
}

/** Writers end a multi-line object with a brace in the first column, which is searched up to this distance. */
const longestGuess = 4 * 2 ** 20;

/**
 * The presumed end of the object at the window's start: of several lines the last one is `}`, or the object is on one
 * line. Correct if the bytes up to there are valid JSON. Undefined when there is no such place.
 */
export function guessJsonEnd(window: ByteWindow): number | undefined {
  if (window.bytes[window.start] !== 123) return undefined;
  while (window.start + 1 >= window.end) if (window.grow() === undefined) return undefined;
  const manyLines = window.bytes[window.start + 1] === 10;
  const wanted = manyLines ? 125 : 10;
  for (let from = window.start + 1; ;) {
    const at = window.bytes.indexOf(wanted, from);
    if (at !== -1 && at < window.end) {
      if (!manyLines) return window.bytes[at - 1] === 125 ? at : undefined;
      if (window.bytes[at - 1] === 10) return at + 1;
      from = at + 1;
    } else {
      if (window.end - window.start > longestGuess) return undefined;
      from = window.end;
      const shift = window.grow();
      if (shift === undefined) return undefined;
      from -= shift;
    }
  }
}

/** Number of digits of the smallest integer that a double cannot represent. */
const longNumber = 16;

/**
 * Finds the end of the object or array at the window's start by brackets only; the parser checks the content. The
 * window does not move. Throws {@link StreamError} for excessive nesting.
 */
export function cutJson(window: ByteWindow): JsonBytes {
  const first = window.bytes[window.start];
  const scan = new BracketScan(first === 123 || first === 91);
  for (let from = window.start; ;) {
    const at = scan.run(window.bytes, from, window.end);
    if (scan.depth > maxDepth) {
      const line = window.line + scan.lineFeeds;
      throw new StreamError("tooDeep", line, undefined, `exceeded max depth of ${maxDepth}`);
    }
    const { lineFeeds, closed } = scan;
    const shift = closed ? undefined : window.grow();
    if (shift === undefined) {
      window.check(at - window.start);
      const bytes = window.bytes.subarray(window.start, at);
      return { bytes, line: window.line, lineFeeds, longNumbers: scan.longNumbers || !closed, closed };
    }
    from = at - shift;
  }
}

/** Searches for the end of an object or array by brackets and quotes; every byte of a catalog passes through here. */
class BracketScan {
  depth = 0;
  lineFeeds = 0;
  longNumbers = false;
  closed = false;
  #inString = false;
  #escaped = false;
  #digits = 0;
  readonly #closes: boolean;

  constructor(closes: boolean) {
    this.#closes = closes;
  }

  /**
   * Continues at `from`; returns where it stopped: after the value, at the end of the bytes, or at excessive nesting.
   */
  run(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    if (this.#inString) at = this.#string(bytes, at, end);
    let { lineFeeds } = this;
    let digits = this.#digits;
    while (at < end) {
      const byte = bytes[at++] ?? 0;
      if (byte === 32) continue;
      if (byte === 34) at = this.#string(bytes, at, end);
      else if (byte === 10) lineFeeds++;
      else if (byte >= 48 && byte <= 57) {
        if (++digits === longNumber) this.longNumbers = true;
      } else {
        // An exponent may exceed the range of a double.
        if (digits > 0 && (byte === 101 || byte === 69)) this.longNumbers = true;
        digits = 0;
        if (byte === 123 || byte === 91) {
          if (++this.depth > maxDepth) break;
        } else if ((byte === 125 || byte === 93) && --this.depth <= 0 && this.#closes) {
          this.closed = true;
          break;
        }
      }
    }
    this.lineFeeds = lineFeeds;
    this.#digits = digits;
    return at;
  }

  /** Position after the closing quote, or the end of the bytes. */
  #string(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    if (this.#escaped) at++;
    this.#escaped = false;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === 34) {
        this.#inString = false;
        return at + 1;
      }
      if (byte === 92) at++;
    }
    this.#inString = true;
    this.#escaped = at > end;
    return end;
  }
}
