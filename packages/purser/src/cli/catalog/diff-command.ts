import { shown } from "../output/shown.ts";
import { escapeValues } from "@purser/kubernetes/text/control-characters";
import type { SubcommandSpec } from "../command.ts";
import { flagOption, textOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";

export const diffCommand: SubcommandSpec = {
  name: "diff",
  summary: "What changed between two catalogs, and whose upgrade path is lost",
  description: [
    "Packages, channels, versions, edges, bundles and deprecations. A change is breaking (!) when users lose their path by",
    "the rules of OLM v0 or v1, or when a published bundle or channel was removed or changed.",
  ].join("\n"),
  arguments: [
    { name: "old", summary: "folder, file or image of the older catalog", required: true },
    { name: "new", summary: "folder, file or image of the newer one", required: true },
  ],
  options: [
    { flags: "--exit-code", summary: "end with 3 when there are changes" },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["table", "json", "yaml", "markdown"] },
  ],
  examples: [
    ["purser catalog diff ./published ./catalog", "what a release would change"],
    ["purser catalog diff ./published ./catalog -o markdown", "as a comment for a pull request"],
  ],
  async run(invocation) {
    const { diffCatalogs } = await import("../../catalog/diff/catalog-diff.ts");
    const { diffRows, formatDiff, formatDiffMarkdown, summaryOfRows } = await import("../../catalog/diff/diff-text.ts");
    const { count } = await import("../../catalog/lint/finding-words.ts");
    const { plainJson } = await import("@purser/kubernetes/json");
    const { readView } = await import("./read-view.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    const [oldReference = "", newReference = ""] = invocation.arguments;
    return withLocalContent(invocation, [oldReference, newReference], "catalog", (older, newer) => {
      const old = readView(older);
      if (!old.ok) return { explanation: old.problem };
      const next = readView(newer);
      if (!next.ok) return { explanation: next.problem };
      const diffs = diffCatalogs(old.value, next.value);
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
      const human = shown(...text.split("\n"), total);
      return { exitCode, data, human };
    });
  },
};
