/** Thrown, and caught by `readBlockYaml` alone, where a text leaves the subset; made once, it costs no stack. */
class OutsideSubset extends Error {
  override readonly name = "OutsideSubset";
}
export const outsideSubset = new OutsideSubset("this text needs the general reader");

/** Walks a text by its lines. The text must end with a line feed and hold no tab and no other kind of line break. */
export class BlockLines {
  readonly text: string;
  /** What {@link codesOf} made of the text: an array is read several times as fast as a string. */
  readonly codes: Uint8Array;
  /** Offset of the first letter of the line that comes next; behind the end when there is none. */
  at = 0;
  /** Its column; -1 at the end. */
  column = -1;
  /** Blank lines that were stepped over to get there. */
  blanks = 0;
  /** A comment was stepped over to get there. */
  comment = false;

  constructor(text: string, codes: Uint8Array) {
    this.text = text;
    this.codes = codes;
  }

  /** Goes to the first line with content from `start`, the beginning of a line, on. */
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
    // Directives and document marks; `-` alone may begin a sequence.
    if (at === line && (code === 37 || this.text.startsWith("---", at) || this.text.startsWith("...", at)))
      throw outsideSubset;
  }

  /** Offset of the line feed behind `at`. */
  endOf(at: number): number {
    const { codes } = this;
    let end = at;
    while (codes[end] !== 10) end++;
    return end;
  }

  /** True where an item of a sequence begins. */
  isDash(at: number): boolean {
    return this.codes[at] === 45 && this.#isGap(at + 1);
  }

  /** True where a colon ends a key. */
  isColon(at: number): boolean {
    return this.codes[at] === 58 && this.#isGap(at + 1);
  }

  #isGap(at: number): boolean {
    const code = this.codes[at];
    return code === 32 || code === 10;
  }
}

/** Control characters, tabs, a byte order mark in front, and line breaks other than a line feed. */
const beyond = /^\ufeff|[^\n\u0020-\u007e\u00a0-\u2027\u202a-\ufffd]/;

/**
 * The character codes of a text, 128 for all that are not ASCII: none of them means anything to YAML. `printable` is
 * the text as bytes when all of them are line feeds and printable ASCII. Undefined where a character stands that the
 * general reader has to judge.
 */
export function codesOf(text: string, printable: Uint8Array | undefined): Uint8Array | undefined {
  if (printable !== undefined) return printable;
  if (beyond.test(text)) return undefined;
  const codes = new Uint8Array(text.length);
  for (let at = 0; at < codes.length; at++) codes[at] = Math.min(text.charCodeAt(at), 128);
  return codes;
}
