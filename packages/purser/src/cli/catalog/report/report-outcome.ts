import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Outcome } from "../../command.ts";
import { flagOption, type Invocation, textOption, UsageError } from "../../command.ts";
import type { LocalContent } from "../../image/local-content.ts";
import { ownVersion } from "../../own-version.ts";
import { exitCodes } from "../../exit-code.ts";
import { catalogTexts, refuseCatalog } from "../catalog-reference.ts";
import { fixCatalog } from "../fix.ts";
import { judgeCatalog, type Judging } from "../judged-catalog.ts";
import { reportSarif } from "./report-sarif.ts";
import { reportData, reportText } from "./report-text.ts";
import { writeFilesAtomically } from "../write-files.ts";

/**
 * Checks a catalog, repairs it on request and prints the report in the requested format.
 * @throws UsageError for `--fix` on an image
 */
export function reportOn(invocation: Invocation, content: LocalContent, judging: Judging): Outcome {
  const { terminal } = invocation;
  if (content.image !== undefined && flagOption(invocation, "fix"))
    throw new UsageError(
      `--fix writes into the catalog, and ${content.reference} is an image`,
      "--fix on the directory that the image is built from",
    );
  const refusal = refuseCatalog(content);
  if (refusal !== undefined) return { explanation: refusal };
  const started = systemClock.now();
  let files = 0;
  const texts = () =>
    catalogTexts(content, (file) => {
      if (++files % 16 === 0) terminal.progress(`reading ${file}`);
    });
  const fixed = flagOption(invocation, "fix") ? fixCatalog(texts, judging) : undefined;
  const report = fixed?.report ?? judgeCatalog(texts, judging);
  terminal.progress("");
  if (fixed !== undefined) {
    writeFilesAtomically(fixed.files);
    for (const line of fixed.lines) terminal.err(line);
  }
  const exitCode = report.errors > 0 ? exitCodes.findings : exitCodes.done;
  if (textOption(invocation, "output") === "sarif")
    return {
      exitCode,
      verbatim: reportSarif(report, ownVersion(), content.image === undefined ? process.cwd() : undefined),
    };
  const seconds = (systemClock.now() - started) / 1000;
  return { exitCode, data: reportData(report), human: reportText(terminal, report, seconds) };
}
