import { shown } from "../../output/shown.ts";
import type { Shown } from "../../output/shown.ts";
import type { JudgedFinding } from "../../../catalog/lint/finding.ts";
import { count } from "../../../catalog/lint/finding-words.ts";
import { ruleOf } from "../../../catalog/lint/rules.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Terminal } from "../../output/terminal.ts";
import type { JudgedCatalog } from "../judged-catalog.ts";

const fixColumn = 70;

/** Findings as text, followed by a summary line. */
export function reportText(terminal: Terminal, report: JudgedCatalog, seconds: number): Shown {
  return shown(
    ...report.findings.flatMap((finding) => findingLines(terminal, finding)),
    reportSummary(terminal, report, seconds),
  );
}

function findingLines(
  terminal: Terminal,
  { rule, message, why, remedy, place, severity, fix }: JudgedFinding,
): readonly string[] {
  const spec = ruleOf(rule);
  const where = [place.file, place.line, place.column].filter((part) => part !== undefined).join(":");
  const tint = severity === "error" ? "bad" : "attention";
  const head = `${terminal.paint("strong", where)}  ${terminal.paint(tint, severity === "error" ? "error" : "warn")}  ${rule}  ${message}`;
  const todo = `   do   ${remedy ?? spec?.remedy ?? ""}`;
  const hint =
    fix === undefined
      ? ""
      : `${" ".repeat(Math.max(2, fixColumn - todo.length))}${terminal.paint("detail", "--fix can do this")}`;
  return [head, `   why  ${why ?? spec?.cause ?? ""}`, `${todo}${hint}`];
}

function reportSummary(
  terminal: Terminal,
  { errors, warnings, packages, bundles }: JudgedCatalog,
  seconds: number,
): string {
  const found = `${count(errors, "error")}, ${count(warnings, "warning")}`;
  const tint = errors > 0 ? "bad" : warnings > 0 ? "attention" : "good";
  return `${terminal.paint(tint, found)} in ${count(packages, "package")}, ${count(bundles, "bundle")} (${seconds.toFixed(1)} s)`;
}

/** The report as a JSON value (`kind: CatalogReport`). */
export function reportData({ findings, errors, warnings, packages, bundles }: JudgedCatalog): JsonValue {
  return {
    apiVersion: "purser.dev/v1alpha1",
    kind: "CatalogReport",
    summary: { errors, warnings, packages, bundles },
    findings: findings.map(({ rule, message, why, remedy, place, packageName, channel, bundle, severity, fix }) => {
      const spec = ruleOf(rule);
      return {
        rule,
        name: spec?.name ?? rule,
        severity,
        message,
        why: why ?? spec?.cause ?? "",
        remedy: remedy ?? spec?.remedy ?? "",
        fixable: fix !== undefined,
        ...optional({ package: packageName, channel, bundle }),
        place: optional({ ...place }),
      };
    }),
  };
}

function optional(
  fields: Readonly<Record<string, string | number | undefined>>,
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
