import { type Explanation, type Reason, type Remedy, remedyWords } from "./explanation.ts";

/**
 * A whole explanation for a comment: the summary with its code, the reasons as nested items, then the remedies with their commands.
 * @param code writes a text as code, whatever characters it holds
 */
export function explanationMarkdown(explanation: Explanation, code: (text: string) => string): string {
  const { summary, derivation, remedies } = explanation;
  return [
    `${code(summary)} (${explanation.code})`,
    ...(derivation.length === 0 ? [] : [[...items(derivation, "", code)].join("\n")]),
    ...(remedies.length === 0 ? [] : ["**Fixes**", remediesMarkdown(remedies, code)]),
  ].join("\n\n");
}

/** Remedies as a numbered list. */
function remediesMarkdown(remedies: readonly Remedy[], code: (text: string) => string): string {
  return remedies
    .map(
      (remedy, at) =>
        `${at + 1}. ${code(remedyWords(remedy))}${remedy.command === undefined ? "" : `: ${code(remedy.command)}`}`,
    )
    .join("\n");
}

function* items(reasons: readonly Reason[], indent: string, code: (text: string) => string): Generator<string> {
  for (const { text, because = [] } of reasons) {
    yield `${indent}- ${code(text)}`;
    yield* items(because, `${indent}  `, code);
  }
}
