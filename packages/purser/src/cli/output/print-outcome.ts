import type { JsonValue } from "@purser/kubernetes/json";
import { type Outcome, type UsageError, exitCodeOfOutcome } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { advised } from "../failure.ts";
import { documentWriter } from "./document-writer.ts";
import { isDocumentFormat } from "./output-format.ts";
import { renderFailure } from "./render-failure.ts";
import type { Terminal } from "./terminal.ts";
import type { ParsedCommand } from "../program.ts";

/** Prints a wrong usage, in the format that was asked for. */
export function printUsageError(terminal: Terminal, error: UsageError, format: unknown): number {
  const { hints } = error;
  if (isDocumentFormat(format))
    terminal.write(failureDocument(format, advised("UsageError", error.message, ...hints)), "err");
  else {
    terminal.err(`${terminal.paint("bad", terminal.symbol("failed"))} ${error.message}`);
    if (hints.length > 0) terminal.err(...hints.map((hint) => `  ${hint}`));
  }
  return exitCodes.usage;
}

function failureDocument(format: string, explanation: NonNullable<Outcome["explanation"]>): string {
  const document = { apiVersion: "purser.dev/v1alpha1", kind: "Explanation", ...explanation };
  return documentWriter(format === "yaml" ? "yaml" : "json", true)(document as unknown as JsonValue);
}

/** Prints what a command returned, and returns its exit code. */
export function printOutcome(
  terminal: Terminal,
  { options }: ParsedCommand,
  outcome: Outcome,
  write: ((document: JsonValue) => string) | undefined,
): number {
  const { output: format, explain } = options;
  const machine = isDocumentFormat(format);
  if (outcome.explanation !== undefined) {
    if (machine) terminal.write(failureDocument(format, outcome.explanation), "err");
    else terminal.err(...renderFailure(terminal, outcome.explanation, explain === true));
  }
  if (outcome.verbatim !== undefined) terminal.write(outcome.verbatim);
  else if (machine && outcome.data !== undefined && write !== undefined) terminal.write(write(outcome.data));
  else if (!machine && outcome.human !== undefined && outcome.human !== "") terminal.show(outcome.human);
  return exitCodeOfOutcome(outcome);
}

/** As {@link printOutcome}; a text that is longer than the terminal goes through the pager. */
export async function printPaged(
  terminal: Terminal,
  parsed: ParsedCommand,
  outcome: Outcome,
  write: ((document: JsonValue) => string) | undefined,
): Promise<number> {
  const { human, explanation, verbatim } = outcome;
  const isText = human !== undefined && human !== "" && !isDocumentFormat(parsed.options["output"]);
  if (!isText || explanation !== undefined || verbatim !== undefined || terminal.page === undefined)
    return printOutcome(terminal, parsed, outcome, write);
  await terminal.page(human);
  return exitCodeOfOutcome(outcome);
}
