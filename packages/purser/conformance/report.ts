import type { JsonValue } from "@purser/kubernetes/json";
import type { Failure, Tally } from "./run-suite.ts";

const shownFailures = 20;
const shownCharacters = 600;

function show(value: JsonValue | undefined): string {
  if (value === undefined) return "(absent)";
  const text = JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}... (${text.length} characters)` : text;
}

function failureLines({ golden, difference, thrown }: Failure): readonly string[] {
  const head = `FAIL ${golden.name} (line ${golden.line})`;
  if (difference === undefined) return [head, `  threw: ${thrown ?? ""}`];
  return [
    `${head} at ${difference.pointer === "" ? "/" : difference.pointer}`,
    `  expected: ${show(difference.expected)}`,
    `  actual:   ${show(difference.actual)}`,
  ];
}

/** What the runner prints; the last line is always the count. */
export function reportLines(tally: Tally): readonly string[] {
  const { failures } = tally;
  const hidden = failures.length - shownFailures;
  return [
    ...failures.slice(0, shownFailures).flatMap(failureLines),
    ...(hidden > 0 ? [`... and ${hidden} more failing cases`] : []),
    `loose: ${tally.loose}`,
    `by docs/differences.md: ${tally.listed}`,
    `${tally.passed} passed, ${failures.length} failed, ${tally.skipped} skipped`,
  ];
}
