import type { Explanation, Reason } from "./explanation.ts";

function* leavesFirst(reasons: readonly Reason[]): Generator<string> {
  for (const { text, because = [] } of reasons) {
    if (because.length === 0) yield `${text}.`;
    else {
      yield* leavesFirst(because);
      yield `So ${text.charAt(0).toLowerCase()}${text.slice(1)}.`;
    }
  }
}

/** The explanation as plain sentences in order of reasoning: summary, reasons before what follows from them, ways out. */
export function explanationSentences(explanation: Explanation): readonly string[] {
  const { summary, derivation, remedies } = explanation;
  return [
    `${summary.replace(/\.$/, "")}.`,
    ...leavesFirst(derivation),
    ...remedies.map((remedy) => `${remedy.summary}${remedy.command === undefined ? "" : `: ${remedy.command}`}`),
  ];
}
