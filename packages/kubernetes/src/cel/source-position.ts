/** `ERROR: <input>:LINE:COLUMN: text` with the source line and a marker below it, as cel-go prints errors. */
export function describeAt(source: string, offset: number, text: string): string {
  const before = source.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - (before.lastIndexOf("\n") + 1);
  const shown = source.split("\n")[line - 1] ?? "";
  return `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${shown.replaceAll("\t", " ")}\n | ${".".repeat(column)}^`;
}
