import { type RootCommand, UsageError, isFamily } from "./command.ts";
import { exitCodes } from "./exit-code.ts";
import { askedFormat } from "./output/output-format.ts";
import { type Terminal, systemTerminal, terminalModes } from "./output/terminal.ts";
import { type Parsed, parseArguments } from "./program.ts";
import { userFileOf } from "./settings/user-file-path.ts";

/**
 * Runs the program: parses the arguments, runs the command, prints its outcome and returns the exit code. Commands
 * neither write to the console nor end the process themselves. A help text loads nothing that runs commands.
 */
export async function runProgram(
  programName: string,
  commands: readonly RootCommand[],
  args: readonly string[],
  startedByNpm: boolean,
): Promise<number> {
  if (process.getBuiltinModule("node:fs").existsSync(userFileOf(process.env))) await fillOrWarn();
  const plain = systemTerminal(terminalModes({}, process.env));
  if (args[0] === "__complete") {
    const { completions } = await import("./commands/completion.ts");
    for (const word of await completions(commands, args.slice(1), plain)) plain.out(word);
    return exitCodes.done;
  }
  const chosen = await commands.find(({ name }) => name === args[0])?.load();
  if (chosen !== undefined && !isFamily(chosen) && chosen.answer !== undefined) {
    const { runOwnAnswer } = await import("./run-own-answer.ts");
    return runOwnAnswer(chosen.answer, args.slice(1), startedByNpm);
  }
  let parsed: Parsed;
  try {
    parsed = await parseArguments(programName, commands, withDefaults(args, plain.env));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { printUsageError } = await import("./output/print-outcome.ts");
    return printUsageError(plain, error, askedFormat(args));
  }
  if (parsed.kind === "help") {
    plain.out(...parsed.text.split("\n"));
    return exitCodes.done;
  }
  const { runParsed } = await import("./run-parsed.ts");
  return runParsed(parsed, startedByNpm);
}

/** The arguments with `PURSER_OUTPUT`, where they name no format themselves. */
function withDefaults(args: readonly string[], env: Terminal["env"]): readonly string[] {
  const { PURSER_OUTPUT: format } = env;
  const isWanted = format !== undefined && format !== "" && askedFormat(args) === undefined && args.length > 0;
  const at = args.indexOf("--");
  if (!isWanted || args[0] === "help" || args.includes("--help") || args.includes("-h")) return args;
  return at < 0 ? [...args, "--output", format] : args.toSpliced(at, 0, "--output", format);
}

/** A user's file that cannot be used is named on stderr, and the command runs without it. */
async function fillOrWarn(): Promise<void> {
  const { fillFromUserFile } = await import("./settings/user-file.ts");
  try {
    await fillFromUserFile(process.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    systemTerminal(terminalModes({}, process.env)).err([error.message, ...error.hints].join("; "));
  }
}
