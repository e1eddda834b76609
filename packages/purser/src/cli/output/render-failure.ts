import type { Explanation } from "../../explanation/explanation.ts";
import { treeLines } from "../../explanation/tree.ts";
import type { Terminal } from "./terminal.ts";

/** The summary, derivation and remedies of a refusal: at most 12 lines, or the whole derivation when `whole` is true. */
export function renderFailure(terminal: Terminal, explanation: Explanation, whole: boolean): readonly string[] {
  const head = `${terminal.paint("bad", terminal.symbol("failed"))} ${explanation.summary}  ${terminal.paint("detail", explanation.code)}`;
  const why = whole
    ? treeLines(explanation.derivation)
    : explanation.derivation.slice(0, 4).map((reason) => `why   ${reason.text}`);
  const remedies = explanation.remedies.slice(0, whole ? undefined : 4).map((remedy, index) => {
    const way =
      remedy.command === undefined
        ? remedy.summary
        : `${remedy.command}      ${terminal.paint("detail", remedy.summary)}`;
    return `${index === 0 ? "do  " : "or  "}  ${way}`;
  });
  return [head, ...[...why, ...remedies].map((line) => `  ${line}`)];
}
