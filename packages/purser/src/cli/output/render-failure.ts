import { type Explanation, remedyWords } from "../../explanation/explanation.ts";
import { type Failure, isFailure } from "../failure.ts";
import { treeLines } from "../../explanation/tree.ts";
import type { Terminal } from "./terminal.ts";

/**
 * The summary, derivation and remedies of a refusal: at most 12 lines, or the whole derivation when `whole` is true. A reason that
 * only repeats the summary is left out.
 */
export function renderFailure(
  terminal: Terminal,
  explanation: Explanation | Failure,
  whole: boolean,
): readonly string[] {
  const code = isFailure(explanation) ? "" : `  ${terminal.paint("detail", explanation.code)}`;
  const head = `${terminal.paint("bad", terminal.symbol("failed"))} ${explanation.summary}${code}`;
  const reasons = explanation.derivation.filter(({ text }) => !repeats(explanation.summary, text));
  const why = whole ? treeLines(explanation.derivation) : reasons.slice(0, 4).map((reason) => `why   ${reason.text}`);
  const remedies = explanation.remedies.slice(0, whole ? undefined : 4).map((remedy, index) => {
    const way =
      remedy.command === undefined
        ? remedy.summary
        : `${remedy.command}      ${terminal.paint(remedy.deletes === "data" ? "attention" : "detail", remedyWords(remedy))}`;
    return `${index === 0 ? "do  " : "or  "}  ${way}`;
  });
  return [head, ...[...why, ...remedies].map((line) => `  ${line}`)];
}

/** Whether every word of `text` that names something stands in the summary already. */
function repeats(summary: string, text: string): boolean {
  const known = new Set(wordsOf(summary));
  return wordsOf(text).every((word) => known.has(word) || fillers.has(word));
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}._/-]+/u)
    .filter((word) => word !== "");

/** Words in which a reason may differ from its summary without adding anything. */
const fillers: ReadonlySet<string> = new Set(["a", "an", "and", "belongs", "by", "is", "of", "owned", "the", "to"]);
