import { compareBytes } from "@purser/kubernetes/text/documents";
import type { Finding, JudgedFinding } from "./finding.ts";
import { ruleOf, type Severity } from "./rules.ts";

export interface Judgement {
  /** By rule id; absent: the rule's default severity. */
  readonly severities: ReadonlyMap<string, Severity>;
}

/** Findings with their severities, in order of their places; those of rules that are off are left out. */
export function judge(findings: readonly Finding[], { severities }: Judgement): readonly JudgedFinding[] {
  const judged = findings.flatMap((finding): JudgedFinding[] => {
    const severity = severities.get(finding.rule) ?? ruleOf(finding.rule)?.severity ?? "error";
    return severity === "off" ? [] : [{ ...finding, severity }];
  });
  return judged.sort(
    (left, right) =>
      compareBytes(left.place.file ?? "", right.place.file ?? "") ||
      (left.place.line ?? 0) - (right.place.line ?? 0) ||
      (left.place.column ?? 0) - (right.place.column ?? 0) ||
      compareBytes(left.rule, right.rule) ||
      compareBytes(left.message, right.message),
  );
}
