import { done, failed, type Result } from "../../result.ts";

/** A clause of a format string, after the percent sign. */
export interface FormatClause {
  readonly verb: string;
  readonly precision?: number;
  /** Offset after the clause. */
  readonly end: number;
}

const verbs = "sdfebxXo";

/** Parses the clause at `start`, where there is at least one character. */
export function readClause(template: string, start: number): Result<FormatClause, string> {
  let at = start;
  let digits: string | undefined;
  if (template[at] === ".") {
    at++;
    const from = at;
    while (at < template.length && /\d/.test(template[at] ?? "")) at++;
    if (at >= template.length)
      return failed("error while parsing precision: could not find end of precision specifier");
    digits = template.slice(from, at);
    if (digits === "") {
      return failed(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      );
    }
  }
  const verb = template[at] ?? "";
  if (!verbs.includes(verb)) return failed(`unrecognized formatting clause "${verb}"`);
  return done({ verb, ...(digits === undefined ? {} : { precision: Number(digits) }), end: at + 1 });
}
