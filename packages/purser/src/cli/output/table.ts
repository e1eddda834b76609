import { cellsOf, displayWidth as width, graphemesOf } from "./display-width.ts";
import { coloured, shown, withoutColours } from "./shown.ts";
import type { Shown } from "./shown.ts";

/** A column of a table that fits the terminal. */
export interface Column {
  readonly heading: string;
  /** When the table is too wide, columns with the highest rank are dropped first; those without a rank stay. */
  readonly rank?: number;
  /** The column holds sentences: they are cut down to {@link sentenceWidth} before any column is dropped. */
  readonly isSentence?: true;
}

/** A sentence in a cell is never cut below this width for the sake of other columns. */
const sentenceWidth = 24;
/** A name is never cut below this width, however narrow the terminal is. */
const nameWidth = 8;
const gap = 2;

/**
 * Formats a table: upper-case headings, columns two spaces apart, no trailing spaces.
 * `rows` may be shorter than `headings`; empty cells show as `-`, control characters in cells as `\u001b`.
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  withHeadings = true,
): Shown {
  return fitTable(
    headings.map((heading) => ({ heading })),
    rows,
    withHeadings,
    Infinity,
  );
}

/**
 * The table of {@link formatTable} in at most `most` terminal columns: sentences are cut, then columns dropped by rank,
 * then the middle of the longest names is left out. Only a terminal too narrow for that gets longer lines.
 */
export function fitTable(
  columns: readonly Column[],
  rows: readonly (readonly (string | undefined)[])[],
  withHeadings: boolean,
  most: number,
): Shown {
  let kept = columns.map((column, at) => {
    const cells = [...(withHeadings ? [column.heading] : []), ...rows.map((row) => shown(row[at] || "-"))];
    return { ...column, cells, width: Math.max(0, ...cells.map(width)) };
  });
  const excess = (): number =>
    kept.reduce((sum, column) => sum + column.width, gap * Math.max(0, kept.length - 1)) - most;
  for (const column of kept)
    if (column.isSentence === true && excess() > 0)
      column.width = Math.min(column.width, Math.max(sentenceWidth, column.width - excess()));
  while (excess() > 0) {
    const last = Math.max(...kept.map(({ rank = 0 }) => rank));
    if (last === 0) break;
    kept = kept.filter(({ rank = 0 }) => rank !== last);
    // What a dropped column leaves free goes back to the sentences.
    for (const column of kept)
      if (column.isSentence === true)
        column.width = Math.max(
          column.width,
          Math.min(Math.max(0, ...column.cells.map(width)), column.width - excess()),
        );
  }
  while (excess() > 0) {
    const longest = kept.reduce((best, column) => (column.width > best.width ? column : best));
    if (longest.width <= nameWidth) break;
    longest.width = Math.max(nameWidth, longest.width - excess());
  }
  const lines = Array.from({ length: rows.length + (withHeadings ? 1 : 0) }, (_, row) =>
    kept
      .map((column) => {
        const cell = cut(column.cells[row] ?? "", column.width, column.isSentence === true);
        return cell + " ".repeat(Math.max(0, column.width - width(cell)));
      })
      .join(" ".repeat(gap))
      .trimEnd(),
  );
  return shown(...lines);
}

/** `text` in `most` terminal columns: a sentence loses its end, a name its middle. */
function cut(text: string, most: number, isSentence: boolean): string {
  if (width(text) <= most) return text;
  const plain = withoutColours(text);
  const graphemes = graphemesOf(plain);
  const head = isSentence ? most - 1 : Math.ceil((most - 1) / 2);
  const start = taken(graphemes, head);
  const end = isSentence ? [] : taken(graphemes.toReversed(), most - 1 - head).toReversed();
  const short = `${start.join("")}…${end.join("")}`;
  const [, on, off] = /^<[0-9a-f]+>\[(\d+)m.*\[(\d+)m$/s.exec(plain === text ? "" : text) ?? [];
  return on === undefined || off === undefined ? short : coloured(short, Number(on), Number(off));
}

/** The first graphemes that fill at most `most` terminal columns. */
function taken(graphemes: readonly string[], most: number): readonly string[] {
  let used = 0;
  const end = graphemes.findIndex((grapheme) => (used += cellsOf(grapheme)) > most);
  return end < 0 ? graphemes : graphemes.slice(0, end);
}
