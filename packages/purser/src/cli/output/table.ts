import { shown, withoutColours } from "./shown.ts";
import type { Shown } from "./shown.ts";

/** Display width of `text` in terminal columns: one per grapheme, two for wide East Asian graphemes. */
function width(text: string): number {
  let cells = 0;
  for (const { segment } of new Intl.Segmenter().segment(withoutColours(text)))
    cells += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
      segment,
    )
      ? 2
      : 1;
  return cells;
}

/**
 * Formats a table: upper-case headings, columns two spaces apart, no trailing spaces.
 * `rows` may be shorter than `headings`; empty cells show as `-`, control characters in cells as `\u001b`.
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  withHeadings = true,
): Shown {
  const cells = rows.map((row) => headings.map((_, column) => shown(row[column] || "-")));
  const lines = withHeadings ? [headings, ...cells] : cells;
  const widths = headings.map((_, column) => Math.max(0, ...lines.map((line) => width(line[column] ?? ""))));
  return shown(
    ...lines.map((line) =>
      line
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell)))
        .join("  ")
        .trimEnd(),
    ),
  );
}
