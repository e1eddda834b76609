import { type Explanation, type Reason, remedyWords } from "./explanation.ts";

function* branch(reasons: readonly Reason[], indent: string): Generator<string> {
  for (const [index, { text, because = [] }] of reasons.entries()) {
    const last = index === reasons.length - 1;
    yield `${indent}${last ? "└─ " : "├─ "}${text}`;
    yield* branch(because, `${indent}${last ? "   " : "│  "}`);
  }
}

/** Reasons as the lines of an indented tree; no line ends in a blank. */
export function treeLines(derivation: readonly Reason[]): readonly string[] {
  return [...branch(derivation, "")];
}

/** A whole explanation: the summary with its code, the tree of reasons, then remedies as lines `fix: ...`. */
export function explanationLines(explanation: Explanation): readonly string[] {
  const { code, summary, derivation, remedies } = explanation;
  const fixes = remedies.flatMap((remedy, index) => {
    const lines = [`${index === 0 ? "fix:" : " or:"} ${remedyWords(remedy)}`];
    if (remedy.command !== undefined) lines.push(`     ${remedy.command}`);
    return lines;
  });
  return [`${summary} (${code})`, ...branch(derivation, ""), ...fixes];
}
