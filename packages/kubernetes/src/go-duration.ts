import { done, failed, type Result } from "./result.ts";

const nanoseconds: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["µs", 1e3],
  ["μs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
]);

/** Nanoseconds in 64 bits: 292 years. */
const longest = 2 ** 63;

/** Parses a Go duration such as `1m30s` to milliseconds; the problem is the error of `time.ParseDuration`. */
export function goDuration(text: string): Result<number, string> {
  const quoted = JSON.stringify(text);
  const invalid = failed(`time: invalid duration ${quoted}`);
  const isSigned = text.startsWith("-") || text.startsWith("+");
  let rest = isSigned ? text.slice(1) : text;
  if (rest === "0") return done(0);
  if (rest === "") return invalid;
  let total = 0;
  while (rest !== "") {
    // Each run is taken whole, so that a long text is looked at once.
    const number = /^[\d.]*/.exec(rest)?.[0] ?? "";
    if (!/\d/.test(number) || number.indexOf(".") !== number.lastIndexOf(".") || Number(number) >= longest)
      return invalid;
    rest = rest.slice(number.length);
    const unit = /^[^\d.]*/.exec(rest)?.[0] ?? "";
    if (unit === "") return failed(`time: missing unit in duration ${quoted}`);
    const scale = nanoseconds.get(unit);
    if (scale === undefined) return failed(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    rest = rest.slice(unit.length);
    total += Number(number) * scale;
    if (total >= longest) return invalid;
  }
  return done((text.startsWith("-") ? -total : total) / 1e6);
}
