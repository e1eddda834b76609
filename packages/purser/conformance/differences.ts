import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** One row of `docs/differences.md`: a difference from upstream that is on purpose. */
export interface ListedDifference {
  /** Name of a golden suite, or `-` for a behaviour that no golden case shows. */
  readonly suite: string;
  /** Name of one case, or `rule: NAME` for a rule that the suite defines. */
  readonly subject: string;
  /** `--compat=NAME`, which brings OLM's behaviour back, or `none: ` and why there is no such switch. */
  readonly back: string;
  readonly reason: string;
}

const file = resolve(import.meta.dirname, "../../../docs/differences.md");

/** Rows of the first table of `text`, without its head. */
export function parseDifferences(text: string): readonly ListedDifference[] {
  const rows = text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .replace(/^\|/, "")
        .replace(/\|\s*$/, "")
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("`", "").replaceAll("\\|", "|")),
    );
  return rows.slice(2).map(([suite = "", subject = "", back = "", reason = ""]) => ({ suite, subject, back, reason }));
}

export function readDifferences(): readonly ListedDifference[] {
  return parseDifferences(readFileSync(file, "utf8"));
}
