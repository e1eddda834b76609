import { logRecord, type OpmAnswer } from "../../catalog/opm/answer.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { goSystemError } from "../../catalog-store/read/go-file-error.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { authorCommands } from "./author-commands.ts";
import { bundleBuild } from "./bundle/bundle-build.ts";
import { bundleCommands, unpackBundleCommand, validateBundleCommand } from "./bundle/bundle-commands.ts";
import { bundleExtract } from "./bundle/bundle-extract-command.ts";
import { catalogCommands, catalogCommandsOnImages, renderInPieces, validateOnAllCores } from "./catalog-commands.ts";
import { answerCompletion, completionCommands, completionRequests, isCompletionRequest } from "./completion.ts";
import { findCommand } from "./find-command.ts";
import { FlagError, type FlagSpec, type ParsedFlags, parseFlags } from "./flags.ts";
import { groups } from "./groups.ts";
import { commandHelp, groupUsage, type HelpOptions, usageOf } from "./help.ts";
import {
  flagSet,
  type LogInfo,
  type LongOpmCommand,
  type OpmCommand,
  type OpmCommandLine,
  type OpmWorld,
  flagsProblem,
  wordsProblem,
} from "./opm-command.ts";
import { sqliteCommands } from "./sqlite-commands.ts";
import { stampedErrors } from "./stamped-errors.ts";
import { serve } from "./serve.ts";
import { longTemplateCommands, templateCommands } from "./template-commands.ts";

const opmCommands: readonly OpmCommand[] = [
  ...catalogCommands,
  ...templateCommands,
  ...bundleCommands,
  ...authorCommands,
  ...completionCommands,
  ...sqliteCommands,
];
/** Commands that only {@link runLongOpm} can run. */
const onlyLong: readonly LongOpmCommand[] = [
  serve,
  ...longTemplateCommands,
  bundleBuild,
  bundleExtract,
  validateBundleCommand,
  unpackBundleCommand,
];
const longCommands: readonly LongOpmCommand[] = [
  ...onlyLong,
  ...catalogCommandsOnImages,
  validateOnAllCores,
  renderInPieces,
];
/** The descriptions of all commands, for help and completion. */
export const commandLines: readonly OpmCommandLine[] = [...opmCommands, ...onlyLong];

const helpFlag: FlagSpec = { name: "help", short: "h", summary: "show this help" };
/** Flags of every command. */
export const everywhere: readonly FlagSpec[] = [
  {
    name: "skip-tls",
    deprecated: "use --use-http and --skip-tls-verify instead",
    summary: "do not check the certificates of registries",
  },
  { name: "skip-tls-verify", summary: "do not check the certificates of registries" },
  { name: "use-http", summary: "ask registries without TLS" },
  helpFlag,
];
const onGroups = everywhere.filter((flag) => flag !== helpFlag);
/** Flags of `opm` itself. */
export const onRoot: readonly FlagSpec[] = [...onGroups, { name: "debug", hidden: true, summary: "log more" }];
const hint = "hint: purser catalog validate shows all problems with positions\n";

/** Output options of a run; all are off by default. */
export interface OpmShowing {
  /** HELP_ALPHA=true: help shows alpha commands and flags. */
  readonly alpha?: boolean;
  /** Log records in the human-readable form, because stderr is a terminal. */
  readonly terminal?: boolean;
  readonly hints?: boolean;
}

/**
 * Runs `opm ARGS...` with the texts, streams and exit codes of upstream's `opm`; nothing is pulled. `clock` is for times in
 * log records.
 */
export function runOpm(args: readonly string[], clock: Clock, showing: OpmShowing = {}): OpmAnswer {
  const request = parseRequest(args, opmCommands, showing);
  const answer = request.kind === "answered" ? request.answer : answerRequest(request, showing);
  return shown(answer, request, clock, showing);
}

/** As {@link runOpm}, for the commands for which {@link isLongOpm} is true. */
export async function runLongOpm(
  args: readonly string[],
  world: OpmWorld,
  showing: OpmShowing = {},
): Promise<OpmAnswer> {
  const request = parseRequest(args, longCommands, showing);
  if (request.kind === "answered") return shown(request.answer, request, world.clock, showing);
  if (request.warning !== "") world.err(request.warning);
  const log = (record: string): void =>
    world.err(stampedErrors({ exit: 0, stdout: "", stderr: record }, world.clock.now(), showing.terminal === true));
  let answer: OpmAnswer;
  try {
    answer = await request.command.run(request.parsed, { ...world, log });
  } catch (error) {
    answer = answerOfError(error, request.command, showing);
  }
  return shown(answer, request, world.clock, showing);
}

/** Whether the arguments name a command that {@link runLongOpm} has to run. */
export function isLongOpm(args: readonly string[]): boolean {
  const { path } = find(args);
  return longCommands.some((command) => command.path === path);
}

function find(args: readonly string[]): ReturnType<typeof findCommand> {
  const paths = [...commandLines.map(({ path }) => path), "help", ...completionRequests];
  return findCommand(args, paths, (path) => (path === "" ? onRoot : onGroups));
}

/** The flags of a command: its own, and the common ones that it does not redefine. */
function flagsOf(command: OpmCommandLine): readonly FlagSpec[] {
  return [...command.flags, ...everywhere.filter(({ name }) => !command.flags.some((own) => own.name === name))];
}

type Request<Command> =
  | { readonly kind: "answered"; readonly answer: OpmAnswer }
  | { readonly kind: "run"; readonly command: Command; readonly parsed: ParsedFlags; readonly warning: string };

/** Parses the arguments to a command with its flags, or to the answer when no command has to run. */
function parseRequest<Command extends OpmCommandLine>(
  args: readonly string[],
  commands: readonly Command[],
  showing: HelpOptions,
): Request<Command> {
  const { path, rest } = find(args);
  const answered = (answer: OpmAnswer): Request<Command> => ({ kind: "answered", answer });
  const command = commands.find((each) => each.path === path);
  if (command === undefined) return answered(otherAnswer(path, rest, showing));
  const { deprecated, notice } = command;
  const [name = path] = path.split(" ").slice(-1);
  let warning = deprecated === undefined ? "" : `Command "${name}" is deprecated, ${deprecated}\n`;
  try {
    const parsed = parseFlags(rest, flagsOf(command));
    warning += parsed.warnings;
    if (flagSet(parsed, "help"))
      return answered({ exit: 0, stdout: commandHelp(command, flagsOf(command), showing), stderr: warning });
    const words = wordsProblem(command, parsed.words);
    if (words !== undefined) throw new FlagError(words);
    if (notice !== undefined) warning += logRecord("warning", notice);
    const flags = flagsProblem(command, parsed);
    if (flags !== undefined) throw new FlagError(flags);
    return { kind: "run", command, parsed, warning };
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    const answer = wrongUsage(command, error, showing);
    return answered({ ...answer, stderr: warning + answer.stderr });
  }
}

/** The answer of everything outside of the command table: groups, help and completion requests. */
function otherAnswer(path: string, rest: readonly string[], showing: HelpOptions): OpmAnswer {
  if (path === "help") return helpAnswer(rest, showing);
  if (isCompletionRequest(path)) return answerCompletion(path, rest, { commandLines, everywhere, onRoot, find });
  return groupAnswer(path, rest, showing);
}

function answerRequest(
  { command, parsed, warning }: Extract<Request<OpmCommand>, { kind: "run" }>,
  showing: HelpOptions,
): OpmAnswer {
  let said = warning;
  const answer = answerOf(
    command,
    parsed,
    showing,
    (message, level = "info") => void (said += logRecord(level, message)),
  );
  return { ...answer, stderr: said + answer.stderr };
}

function answerOf(command: OpmCommand, parsed: ParsedFlags, showing: HelpOptions, log: LogInfo): OpmAnswer {
  try {
    return command.run(parsed, log, new Map());
  } catch (error) {
    return answerOfError(error, command, showing);
  }
}

function answerOfError(error: unknown, command: OpmCommandLine, showing: HelpOptions): OpmAnswer {
  if (error instanceof FlagError) return wrongUsage(command, error, showing);
  const system = goSystemError(error);
  if (system === undefined) throw error;
  return { exit: 1, stdout: "", stderr: `Error: ${system}\n` };
}

function wrongUsage(command: OpmCommandLine, error: FlagError, showing: HelpOptions): OpmAnswer {
  return { exit: 1, stdout: "", stderr: `Error: ${error.message}\n${usageOf(command, flagsOf(command), showing)}\n` };
}

/** The answer of a group without a command: nothing or its help, as in upstream. Groups that print help ignore words. */
function groupAnswer(path: string, rest: readonly string[], showing: HelpOptions): OpmAnswer {
  const flags = [...(path === "" ? onRoot : onGroups), helpFlag];
  const usage = groupUsage(path, commandLines, flags, showing);
  const refused = (message: string): OpmAnswer => ({ exit: 1, stdout: "", stderr: `Error: ${message}\n${usage}\n` });
  try {
    const parsed = parseFlags(rest, flags);
    const stderr = parsed.warnings;
    const printsHelp = groups.find((group) => group.path === path)?.alone === "help";
    if (flagSet(parsed, "help") || printsHelp) return { exit: 0, stdout: usage, stderr };
    const [word] = parsed.words;
    if (word === undefined) return { exit: 0, stdout: "", stderr };
    const answer = refused(`unknown command ${goQuote(word)} for ${goQuote(`opm ${path}`.trim())}`);
    return { ...answer, stderr: stderr + answer.stderr };
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return refused(error.message);
  }
}

/** `opm help COMMAND`: the help of the command or group that the words lead to; unknown words are ignored. */
function helpAnswer(rest: readonly string[], showing: HelpOptions): OpmAnswer {
  const usageOf = (path: string): string => groupUsage(path, commandLines, everywhere, showing);
  let words: readonly string[];
  try {
    const parsed = parseFlags(rest, everywhere);
    if (flagSet(parsed, "help")) return { exit: 0, stdout: usageOf(""), stderr: "" };
    words = parsed.words;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return { exit: 1, stdout: "", stderr: `Error: ${error.message}\n${usageOf("")}\n` };
  }
  const { path } = find(words);
  const command = commandLines.find((each) => each.path === path);
  if (command !== undefined) return { exit: 0, stdout: commandHelp(command, flagsOf(command), showing), stderr: "" };
  return { exit: 0, stdout: usageOf(path === "help" ? "" : path), stderr: "" };
}

function shown(
  answer: OpmAnswer,
  request: Request<OpmCommandLine>,
  clock: Clock,
  { terminal = false, hints = false }: OpmShowing,
): OpmAnswer {
  const isInvalid = answer.exit === 1 && request.kind === "run" && request.command.path === "validate";
  const stderr = stampedErrors(answer, clock.now(), terminal);
  return { ...answer, stderr: isInvalid && hints ? stderr + hint : stderr };
}
