import type { JsonValue } from "@purser/kubernetes/json";
import type { Outcome, RootCommand } from "./command.ts";
import { completions } from "./commands/completion.ts";
import { UsageError, exitCodeOfOutcome, isFamily } from "./command.ts";
import { exitCodes } from "./exit-code.ts";
import { advised, type Failure } from "./failure.ts";
import { holdingNotes } from "./output/held-notes.ts";
import { askedFormat, documentWriter, isDocumentFormat } from "./output/output-format.ts";
import { renderFailure } from "./output/render-failure.ts";
import type { Parsed } from "./program.ts";
import { parseArguments, runCommand } from "./program.ts";
import type { Terminal } from "./output/terminal.ts";
import { systemTerminal, terminalModes } from "./output/terminal.ts";
import { clusterFailure } from "./cluster/report-cluster-error.ts";
import { runOwnAnswer } from "./run-own-answer.ts";
import type { StopRequests } from "./stop-requests.ts";
import { stopRequests } from "./stop-requests.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";

/**
 * Runs the program: parses the arguments, runs the command, prints its outcome and returns the exit code. Commands
 * neither write to the console nor end the process themselves.
 */
export async function runProgram(
  programName: string,
  commands: readonly RootCommand[],
  args: readonly string[],
  startedByNpm: boolean,
): Promise<number> {
  const listen = (): StopRequests => stopRequests(process, systemClock, startedByNpm);
  const plain = systemTerminal(terminalModes({}, process.env));
  if (args[0] === "__complete") {
    for (const word of await completions(commands, args.slice(1), plain)) plain.out(word);
    return exitCodes.done;
  }
  const named = commands.find(({ name }) => name === args[0]);
  const own = named === undefined || isFamily(named) ? undefined : named.answer;
  if (own !== undefined) return runOwnAnswer(own, args.slice(1), startedByNpm);
  let parsed: Parsed;
  try {
    parsed = parseArguments(programName, commands, withDefaults(args, plain.env));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return printUsageError(plain, error, askedFormat(args));
  }
  if (parsed.kind === "help") {
    plain.out(...parsed.text.split("\n"));
    return exitCodes.done;
  }
  const { options, command } = parsed;
  const format = options["output"];
  const terminal = systemTerminal(terminalModes(options, process.env));
  const requests = listen();
  const isHeld = isDocumentFormat(format) && command.reportsWhileRunning !== true;
  const held = isHeld ? holdingNotes(terminal) : { terminal, release: () => undefined };
  try {
    const write = isDocumentFormat(format) ? documentWriter(format, options["headers"] !== false) : undefined;
    const outcome = await runCommand(parsed, { terminal: held.terminal, signal: requests.signal });
    if (outcome.explanation === undefined) held.release();
    return print(terminal, parsed, outcome, write);
  } catch (error) {
    if (error instanceof UsageError) return printUsageError(terminal, error, format);
    const request = requests.first();
    if (request !== undefined) return request === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
    const known = clusterFailure(error);
    if (known !== undefined) return print(terminal, parsed, { explanation: known }, undefined);
    const exit = print(terminal, parsed, { explanation: unexpected(error) }, undefined);
    if (options["verbose"] === true && error instanceof Error) terminal.err(...(error.stack ?? "").split("\n"));
    return exit;
  } finally {
    requests.close();
  }
}

/** The arguments with `PURSER_OUTPUT`, where they name no format themselves. */
function withDefaults(args: readonly string[], env: Terminal["env"]): readonly string[] {
  const { PURSER_OUTPUT: format } = env;
  const isWanted = format !== undefined && format !== "" && askedFormat(args) === undefined && args.length > 0;
  const at = args.indexOf("--");
  if (!isWanted || args[0] === "help" || args.includes("--help") || args.includes("-h")) return args;
  return at < 0 ? [...args, "--output", format] : args.toSpliced(at, 0, "--output", format);
}

function unexpected(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return advised(
    "Unexpected",
    `purser stopped on an unexpected error: ${message}`,
    "run it again with -v, and report the details",
  );
}

function printUsageError(terminal: Terminal, error: UsageError, format: unknown): number {
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

function print(
  terminal: Terminal,
  parsed: Extract<Parsed, { kind: "run" }>,
  outcome: Outcome,
  write: ((document: JsonValue) => string) | undefined,
): number {
  const { output: format, explain } = parsed.options;
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
