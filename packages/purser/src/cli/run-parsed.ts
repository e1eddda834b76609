import { systemClock } from "@purser/kubernetes/system/system-clock";
import { UsageError } from "./command.ts";
import { exitCodes } from "./exit-code.ts";
import { advised, type Failure } from "./failure.ts";
import { documentWriter } from "./output/document-writer.ts";
import { holdingNotes } from "./output/held-notes.ts";
import { isDocumentFormat } from "./output/output-format.ts";
import { systemTerminal, terminalModes } from "./output/terminal.ts";
import { printOutcome, printPaged, printUsageError } from "./output/print-outcome.ts";
import { type ParsedCommand, runCommand } from "./program.ts";
import { stopRequests } from "./stop-requests.ts";

/** Runs a command, prints its outcome and returns the exit code. */
export async function runParsed(parsed: ParsedCommand, startedByNpm: boolean): Promise<number> {
  const { options, command } = parsed;
  const format = options["output"];
  const terminal = systemTerminal(terminalModes(options, process.env));
  const requests = stopRequests(process, systemClock, startedByNpm);
  const isHeld = isDocumentFormat(format) && command.reportsWhileRunning !== true;
  const held = isHeld ? holdingNotes(terminal) : { terminal, release: () => undefined };
  try {
    const write = isDocumentFormat(format) ? documentWriter(format, options["headers"] !== false) : undefined;
    const outcome = await runCommand(parsed, { terminal: held.terminal, signal: requests.signal });
    if (outcome.explanation === undefined) held.release();
    return await printPaged(terminal, parsed, outcome, write);
  } catch (error) {
    if (error instanceof UsageError) return printUsageError(terminal, error, format);
    const request = requests.first();
    if (request !== undefined) return request === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
    const { clusterFailure } = await import("./cluster/report-cluster-error.ts");
    const known = clusterFailure(error);
    if (known !== undefined) return printOutcome(terminal, parsed, { explanation: known }, undefined);
    const exit = printOutcome(terminal, parsed, { explanation: unexpected(error) }, undefined);
    if (options["verbose"] === true && error instanceof Error) terminal.err(...(error.stack ?? "").split("\n"));
    return exit;
  } finally {
    requests.close();
  }
}

function unexpected(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return advised(
    "Unexpected",
    `Purser stopped on an unexpected error: ${message}`,
    "run it again with -v, and report the details",
  );
}
