import { markdownCode } from "../../bundle/diff/diff-text.ts";
import { explanationMarkdown } from "../../explanation/markdown.ts";
import { shown } from "../output/shown.ts";
import { candidateRows } from "./candidates.ts";
import type { Say } from "./decision-outcome.ts";

/** What `explain` says as a comment for a pull request or an issue; what is no refusal is said in the words of the text. */
export function explainMarkdown(say: Say): Say {
  return (reference, decision, why, now) => {
    const refusal =
      why === undefined
        ? (decision.explanation ?? now.held ?? now.blocked)
        : "explanation" in why
          ? why.explanation
          : undefined;
    const text = say(reference, decision, why, { ...now, candidates: undefined });
    const { candidates } = now;
    return shown(
      `### ${markdownCode(reference)}`,
      "",
      ...(refusal === undefined ? fenced(text) : explanationMarkdown(refusal, markdownCode).split("\n")),
      ...(candidates === undefined ? [] : ["", ...table(candidateRows(candidates))]),
    );
  };
}

/** The fence is longer than any in the text. */
function fenced(text: string): readonly string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
  const fence = "`".repeat(longest + 1);
  return [fence, ...text.split("\n"), fence];
}

function table([head = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const cell = (text: string): string => (text === "" ? "" : markdownCode(text).replaceAll("|", "\\|"));
  return [line(head), line(head.map(() => "---")), ...rows.map((row) => line(row.map(cell)))];
}
