import type { YamlBytes } from "../document-stream.ts";

/**
 * Thrown when a text is outside the supported subset, and caught by `readBlockYaml`; created once to avoid stack
 * traces.
 */
class OutsideSubset extends Error {
  override readonly name = "OutsideSubset";
}
export const outsideSubset = new OutsideSubset("this text needs the general reader");

/** Iterates over the lines of a text, which must end with a line feed and contain no tabs or other line breaks. */
export class BlockLines {
  readonly text: string;
  /** Result of {@link codesOf}; reading an array is several times as fast as reading a string. */
  readonly codes: Uint8Array;
  /** Offset of the first letter of the current line; after the end when there is none. */
  at = 0;
  /** Its column; -1 at the end. */
  column = -1;
  /** Number of blank lines skipped before it. */
  blanks = 0;
  /** Whether a comment was skipped before it. */
  comment = false;

  constructor(text: string, codes: Uint8Array) {
    this.text = text;
    this.codes = codes;
  }

  /** Moves to the first line with content at or after `start`, the beginning of a line. */
  next(start: number): void {
    const { codes } = this;
    let line = start;
    let at = start;
    let code: number | undefined;
    this.blanks = 0;
    this.comment = false;
    for (;;) {
      code = codes[at];
      while (code === 32) code = codes[++at];
      if (code === 10) this.blanks++;
      else if (code === 35) {
        this.comment = true;
        at = this.endOf(at);
      } else break;
      line = ++at;
    }
    this.at = at;
    this.column = at < codes.length ? at - line : -1;
    // Directives and document markers; a single `-` may begin a sequence.
    if (at === line && (code === 37 || this.text.startsWith("---", at) || this.text.startsWith("...", at)))
      throw outsideSubset;
  }

  /** Offset of the line feed after `at`. */
  endOf(at: number): number {
    const { codes } = this;
    let end = at;
    while (codes[end] !== 10) end++;
    return end;
  }

  /** Whether an item of a sequence begins here. */
  isDash(at: number): boolean {
    return this.codes[at] === 45 && this.#isGap(at + 1);
  }

  /** Whether a colon here ends a key. */
  isColon(at: number): boolean {
    return this.codes[at] === 58 && this.#isGap(at + 1);
  }

  #isGap(at: number): boolean {
    const code = this.codes[at];
    return code === 32 || code === 10;
  }
}

/** Control characters, tabs, a leading byte order mark, and line breaks other than a line feed. */
const beyond = /^\ufeff|[^\n\u0020-\u007e\u00a0-\u2027\u202a-\ufffd]/;

/** A text in UTF-8. */
export type TextBytes = Pick<YamlBytes, "bytes" | "letters">;

/**
 * Character codes of a text; 128 for all non-ASCII characters, which have no meaning in YAML syntax. `source` is the same
 * text. Undefined for texts with characters that only the general reader handles.
 */
export function codesOf(text: string, source: TextBytes | undefined): Uint8Array | undefined {
  switch (source?.letters) {
    case "ascii":
      return source.bytes;
    case "unicode":
      return codesOfUtf8(source.bytes, text.length);
    case "control":
      return undefined;
    case undefined:
      return codesOfText(text);
  }
}

/** `length` in UTF-16. The same texts as those of {@link beyond} have no codes; control characters are not looked for. */
function codesOfUtf8(bytes: Uint8Array, length: number): Uint8Array | undefined {
  const codes = new Uint8Array(length);
  let to = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      codes[to++] = byte;
      at++;
      continue;
    }
    const second = bytes[at + 1] ?? 0;
    const third = bytes[at + 2] ?? 0;
    if (byte === 0xc2 && second < 0xa0) return undefined;
    if (byte === 0xe2 && second === 0x80 && (third === 0xa8 || third === 0xa9)) return undefined;
    if (byte === 0xef && second === 0xbf && third > 0xbd) return undefined;
    if (byte === 0xef && second === 0xbb && third === 0xbf && at === 0) return undefined;
    codes[to++] = 128;
    if (byte >= 0xf0) codes[to++] = 128;
    at += byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  }
  return codes;
}

function codesOfText(text: string): Uint8Array | undefined {
  if (beyond.test(text)) return undefined;
  const codes = new Uint8Array(text.length);
  for (let at = 0; at < codes.length; at++) codes[at] = Math.min(text.charCodeAt(at), 128);
  return codes;
}
