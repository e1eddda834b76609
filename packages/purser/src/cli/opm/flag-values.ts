import { done, failed, type Result } from "@purser/kubernetes/result";

/**
 * Parses a number like Go's `strconv.ParseUint(text, 0, 64)`: decimal, `0x`, `0o`, `0b`, a leading `0` for octal, and `_`
 * between digits. The problem is Go's error: `invalid syntax` or `value out of range`.
 */
export function parseGoUint64(text: string): Result<bigint, string> {
  const isNumber =
    /^(?:0|[1-9](?:_?[0-9])*|0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?[0-7])+)$/.test(text);
  if (!isNumber) return failed("invalid syntax");
  const digits = text.replaceAll("_", "");
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  return value < 2n ** 64n ? done(value) : failed("value out of range");
}

/**
 * The fields of the first record of comma-separated values, like Go's `encoding/csv`; empty for an empty text. Fields may
 * be quoted. The problem is Go's error, with line and column (in bytes, from 1).
 */
export function readCsvRecord(text: string): Result<readonly string[], string> {
  if (text === "") return done([]);
  const lines = text
    .replaceAll("\r\n", "\n")
    .replace(/\r$/, "")
    .split(/(?<=\n)/);
  const first = lines.findIndex((line) => line !== "\n");
  if (first === -1) return failed("EOF");
  const fields: string[] = [];
  let [line, at] = [first, 0];
  const current = (): string => lines[line] ?? "";
  const wrong = (column: number, cause: string): Result<never, string> => {
    const bytes = Buffer.byteLength(current().slice(0, column)) + 1;
    const start = line === first ? "" : `record on line ${first + 1}; `;
    return failed(
      `${start === "" ? "parse error on" : `${start}parse error on`} line ${line + 1}, column ${bytes}: ${cause}`,
    );
  };
  for (;;) {
    if (current().charAt(at) !== '"') {
      const rest = current().slice(at).replace(/\n$/, "");
      const [field = ""] = rest.split(",", 1);
      const quote = field.indexOf('"');
      if (quote !== -1) return wrong(at + quote, 'bare " in non-quoted-field');
      fields.push(field);
      if (field.length === rest.length) return done(fields);
      at += field.length + 1;
      continue;
    }
    let field = "";
    at++;
    for (;;) {
      const quote = current().indexOf('"', at);
      if (quote === -1) {
        field += current().slice(at);
        if (line + 1 >= lines.length) return wrong(current().length, 'extraneous or missing " in quoted-field');
        [line, at] = [line + 1, 0];
        continue;
      }
      field += current().slice(at, quote);
      const next = current().charAt(quote + 1);
      at = quote + 2;
      if (next === '"') {
        field += '"';
        continue;
      }
      fields.push(field);
      if (next === ",") break;
      if (next === "" || next === "\n") return done(fields);
      return wrong(quote, 'extraneous or missing " in quoted-field');
    }
  }
}
