import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Outcome } from "../../command.ts";
import { flagOption, type Invocation, textOption } from "../../command.ts";
import { ownVersion } from "../../own-version.ts";
import { exitCodes } from "../../exit-code.ts";
import { catalogTexts, refuseCatalog } from "../catalog-reference.ts";
import { fixCatalog } from "../fix.ts";
import { judgeCatalog, type Judging } from "../judged-catalog.ts";
import { reportSarif } from "./report-sarif.ts";
import { reportData, reportText } from "./report-text.ts";
import { writeFilesAtomically } from "../write-files.ts";

/** Checks the catalog that the first argument names, repairs it on request and prints the report in the requested format. */
export function reportOn(invocation: Invocation, judging: Judging): Outcome {
  const { terminal } = invocation;
  const [reference = ""] = invocation.arguments;
  const refusal = refuseCatalog(reference);
  if (refusal !== undefined) return { explanation: refusal };
  const started = systemClock.now();
  let files = 0;
  const texts = () =>
    catalogTexts(reference, (file) => {
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
    return { exitCode, verbatim: reportSarif(report, ownVersion(), process.cwd()) };
  const seconds = (systemClock.now() - started) / 1000;
  return { exitCode, data: reportData(report), human: reportText(terminal, report, seconds) };
}
