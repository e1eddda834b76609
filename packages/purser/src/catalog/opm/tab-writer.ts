/**
 * Text in columns as Go's tabwriter lays it out with two blanks between them: every cell but the last of a line ends
 * with a tab; neighbouring lines that have a cell form a column.
 */
export function alignColumns(text: string): string {
  const lines = text.split(/[\n\f]/).map((line) => line.split(/[\t\v]/));
  const widths: number[][] = lines.map(() => []);
  widenBlocks(lines, widths, 0, lines.length, 0);
  return lines
    .map((cells, line) =>
      cells
        .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(padded(cell, widths[line]?.[column]))))
        .join(""),
    )
    .join("\n");
}

function widenBlocks(lines: readonly string[][], widths: number[][], from: number, to: number, column: number): void {
  const hasCell = (line: number): boolean => column < (lines[line]?.length ?? 0) - 1;
  for (let line = from; line < to; line++) {
    let end = line;
    let width = 0;
    for (; end < to && hasCell(end); end++) width = Math.max(width, lengthOf(lines[end]?.[column] ?? "") + 2);
    for (let each = line; each < end; each++) widths[each]?.push(width);
    widenBlocks(lines, widths, line, end, column + 1);
    line = end;
  }
}

/** Code points, as Go counts a cell. */
function lengthOf(cell: string): number {
  return Array.from(cell).length;
}

/** Length in UTF-16 units that fills `width` code points. */
function padded(cell: string, width = 0): number {
  return width + cell.length - lengthOf(cell);
}
