import { plainJson } from "@purser/kubernetes/json";
import { escapeValues } from "@purser/kubernetes/text/control-characters";
import type { CatalogView } from "../../../catalog/catalog-view.ts";
import { diffCatalogs } from "../../../catalog/diff/catalog-diff.ts";
import { diffRows, formatDiff, formatDiffMarkdown, summaryOfRows } from "../../../catalog/diff/diff-text.ts";
import { count } from "../../../catalog/lint/finding-words.ts";
import { flagOption, type Invocation, type ReportedOutcome, textOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { shown } from "../../output/shown.ts";

/** What changed between two catalogs, as the flags ask for it. */
export function diffOutcome(invocation: Invocation, older: CatalogView, newer: CatalogView): ReportedOutcome {
  const diffs = diffCatalogs(older, newer);
  const rows = diffRows(diffs);
  const { breaking, changes } = summaryOfRows(rows);
  const exitCode = flagOption(invocation, "exit-code") && rows.length > 0 ? exitCodes.changes : exitCodes.done;
  if (textOption(invocation, "output") === "markdown") return { exitCode, verbatim: formatDiffMarkdown(rows) };
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "CatalogDiff",
    summary: { breaking, changes },
    packages: diffs.map((diff) => plainJson(diff)),
  };
  if (rows.length === 0) return { exitCode, data, human: shown("No changes.") };
  const { terminal } = invocation;
  const text = formatDiff(escapeValues(rows)).replaceAll(/^[!~+]/gm, (mark) =>
    terminal.paint(mark === "!" ? "bad" : mark === "+" ? "good" : "attention", mark),
  );
  const total = `${breaking} breaking, ${count(changes, "change")}. Pull-request comment: -o markdown`;
  return { exitCode, data, human: shown(...text.split("\n"), total) };
}
