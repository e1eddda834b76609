import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Outcome, RootCommand } from "./command.ts";
import { completions } from "./commands/completion.ts";
import { UsageError, exitCodeOfOutcome, isFamily } from "./command.ts";
import { exitCodes } from "./exit-code.ts";
import { renderFailure } from "./output/render-failure.ts";
import type { Parsed } from "./program.ts";
import { parseArguments, runCommand } from "./program.ts";
import type { ColorMode, Terminal } from "./output/terminal.ts";
import { systemTerminal } from "./output/terminal.ts";
import { reportClusterError } from "./cluster/report-cluster-error.ts";
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
  let terminal = systemTerminal({ color: "auto", ascii: false });
  if (args[0] === "__complete") {
    for (const word of completions(commands, args.slice(1))) terminal.out(word);
    return exitCodes.done;
  }
  const named = commands.find(({ name }) => name === args[0]);
  const own = named === undefined || isFamily(named) ? undefined : named.answer;
  if (own !== undefined) return runOwnAnswer(own, args.slice(1), startedByNpm);
  let parsed: Parsed;
  try {
    parsed = parseArguments(programName, commands, args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printUsageError(terminal, error);
    return exitCodes.usage;
  }
  if (parsed.kind === "help") {
    terminal.out(...parsed.text.split("\n"));
    return exitCodes.done;
  }
  const { options } = parsed;
  const color: ColorMode = options["color"] === "always" || options["color"] === "never" ? options["color"] : "auto";
  terminal = systemTerminal({ color, ascii: options["ascii"] === true });
  const requests = listen();
  try {
    const outcome = await runCommand(parsed, { terminal, signal: requests.signal });
    return print(terminal, parsed, outcome);
  } catch (error) {
    if (error instanceof UsageError) {
      printUsageError(terminal, error);
      return exitCodes.usage;
    }
    const request = requests.first();
    if (request !== undefined) return request === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
    const known = reportClusterError(terminal, error);
    if (known !== undefined) return known;
    terminal.err(
      `${terminal.symbol("failed")} purser stopped on an error it did not expect: ${error instanceof Error ? error.message : String(error)}`,
    );
    if (options["verbose"] === true && error instanceof Error) terminal.err(...(error.stack ?? "").split("\n"));
    else terminal.err("  do    run it again with -v for the details, and report them");
    return exitCodes.failed;
  } finally {
    requests.close();
  }
}

function printUsageError(terminal: Terminal, error: UsageError): void {
  terminal.err(`${terminal.symbol("failed")} ${error.message}`);
  if (error.hints.length > 0) terminal.err(...error.hints.map((hint) => `  ${hint}`));
}

function print(terminal: Terminal, parsed: Extract<Parsed, { kind: "run" }>, outcome: Outcome): number {
  const format = parsed.options["output"];
  const machine = format === "json" || format === "yaml";
  const write = (value: JsonValue): string =>
    format === "json" ? JSON.stringify(value, undefined, 2) : writeYaml(value).trimEnd();
  if (outcome.explanation !== undefined) {
    if (machine)
      terminal.write(
        `${write({ kind: "Explanation", apiVersion: "purser.dev/v1alpha1", ...outcome.explanation } as never)}\n`,
        "err",
      );
    else terminal.err(...renderFailure(terminal, outcome.explanation, parsed.options["explain"] === true));
  }
  if (outcome.verbatim !== undefined) terminal.write(outcome.verbatim);
  else if (machine && outcome.data !== undefined) terminal.write(`${write(outcome.data)}\n`);
  else if (!machine && outcome.human !== undefined && outcome.human !== "") terminal.show(outcome.human);
  return exitCodeOfOutcome(outcome);
}
