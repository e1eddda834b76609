import type { Explanation, Reason } from "./explanation.ts";

function* branch(reasons: readonly Reason[], indent: string): Generator<string> {
  for (const [index, { text, because = [] }] of reasons.entries()) {
    const last = index === reasons.length - 1;
    yield `${indent}${last ? "└─ " : "├─ "}${text}`;
    yield* branch(because, `${indent}${last ? "   " : "│  "}`);
  }
}

/** Reasons as an indented tree without a final newline; no line ends in a blank. */
export function formatTree(derivation: readonly Reason[]): string {
  return [...branch(derivation, "")].join("\n");
}

/** A whole explanation: the summary with its code, the tree of reasons, then remedies as lines `fix: ...`. */
export function formatExplanation(explanation: Explanation): string {
  const { code, summary, derivation, remedies } = explanation;
  const fixes = remedies.flatMap((remedy, index) => {
    const lines = [`${index === 0 ? "fix:" : " or:"} ${remedy.summary}`];
    if (remedy.command !== undefined) lines.push(`     ${remedy.command}`);
    return lines;
  });
  return [`${summary} (${code})`, ...branch(derivation, ""), ...fixes].join("\n");
}
