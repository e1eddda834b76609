/** Thrown, and caught by {@link readBlockYaml} alone, where a text leaves the subset; made once, it costs no stack. */
class OutsideSubset extends Error {
  override readonly name = "OutsideSubset";
}
export const outsideSubset = new OutsideSubset("this text needs the general reader");

/** Walks a text by its lines. The text must end with a line feed and hold no tab and no other kind of line break. */
export class BlockLines {
  readonly text: string;
  /** Offset of the first letter of the line that comes next; behind the end when there is none. */
  at = 0;
  /** Its column; -1 at the end. */
  column = -1;
  /** Blank lines that were stepped over to get there. */
  blanks = 0;
  /** A comment was stepped over to get there. */
  comment = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Goes to the first line with content from `start`, the beginning of a line, on. */
  next(start: number): void {
    const { text } = this;
    let line = start;
    let at = start;
    let code: number;
    this.blanks = 0;
    this.comment = false;
    for (;;) {
      code = text.charCodeAt(at);
      while (code === 32) code = text.charCodeAt(++at);
      if (code === 10) this.blanks++;
      else if (code === 35) {
        this.comment = true;
        at = text.indexOf("\n", at);
      } else break;
      line = ++at;
    }
    this.at = at;
    this.column = at < text.length ? at - line : -1;
    // Directives and document marks; `-` alone may begin a sequence.
    if (at === line && (code === 37 || text.startsWith("---", at) || text.startsWith("...", at))) throw outsideSubset;
  }

  /** True where an item of a sequence begins. */
  isDash(at: number): boolean {
    if (this.text.charCodeAt(at) !== 45) return false;
    const after = this.text.charCodeAt(at + 1);
    return after === 32 || after === 10;
  }
}
