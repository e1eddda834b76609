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

/** All UTF-16 units that are not ASCII. */
const beyondAscii = /[^\0-\u007f]/g;
/** Stands for one of them: no text with codes has it. */
const placeholder = "\u007f";

/**
 * Character codes of a text; 127 for all units that are not ASCII, which have no meaning in YAML syntax. `source` is the
 * same text. Undefined for texts with characters that only the general reader handles.
 */
export function codesOf(text: string, source: TextBytes | undefined): Uint8Array | undefined {
  if (source?.letters === "ascii") return source.bytes;
  if (source?.letters === "control" || beyond.test(text)) return undefined;
  return new TextEncoder().encode(text.replaceAll(beyondAscii, placeholder));
}
