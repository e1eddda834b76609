/** A line that was cut has at least this many columns, whatever the indentation. */
const narrowest = 20;

/**
 * A line as lines of at most `width` columns, cut at spaces where there are any; the later ones are indented as far as the first
 * and two more. The line itself where it fits.
 */
export function foldedLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const indent = " ".repeat(Math.max(0, Math.min(indentOf(line) + 2, width - narrowest)));
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const start = lines.length === 0 ? indentOf(line) : indent.length;
    const space = rest.lastIndexOf(" ", width);
    const cut = space > start + 2 ? space : width;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = `${indent}${rest.slice(cut).trimStart()}`;
  }
  return [...lines, rest];
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
