import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import type { Clock } from "../../clock.ts";
import { goSystemError } from "../../catalog-store/go-file-error.ts";
import { goQuote } from "../../go-quote.ts";
import { authorCommands } from "./author-commands.ts";
import { bundleCommands } from "./bundle-commands.ts";
import { catalogCommands, validateOnAllCores } from "./catalog-commands.ts";
import { findCommand } from "./find-command.ts";
import { FlagError, type FlagSpec, type ParsedFlags, parseFlags } from "./flags.ts";
import { commandHelp, groupUsage, type HelpOptions, usageOf } from "./help.ts";
import {
  flagSet,
  type LongOpmCommand,
  type OpmCommand,
  type OpmCommandLine,
  type OpmWorld,
  wordCountProblem,
} from "./opm-command.ts";
import { stampedErrors } from "./stamped-errors.ts";
import { serve } from "./serve.ts";
import { templateCommands } from "./template-commands.ts";

export const opmCommands: readonly OpmCommand[] = [
  ...catalogCommands,
  ...templateCommands,
  ...bundleCommands,
  ...authorCommands,
];
/** Commands that take their time: one goes on until it is stopped, one has other threads work for it. */
const longCommands: readonly LongOpmCommand[] = [serve, validateOnAllCores];
const commandLines: readonly OpmCommandLine[] = [...opmCommands, serve];

const everywhere: readonly FlagSpec[] = [
  { name: "skip-tls", summary: "deprecated: use --use-http and --skip-tls-verify" },
  { name: "skip-tls-verify", summary: "do not check the certificates of registries" },
  { name: "use-http", summary: "ask registries without TLS" },
  { name: "help", short: "h", summary: "show this help" },
];
const onGroups = everywhere.filter(({ name }) => name !== "help");
const onRoot: readonly FlagSpec[] = [...onGroups, { name: "debug", summary: "log more" }];
const deprecation = "Flag --skip-tls has been deprecated, use --use-http and --skip-tls-verify instead\n";
const hint = "hint: purser catalog validate shows all problems with positions\n";

/** How a run shows things; all off where nothing is said. */
export interface OpmShowing {
  /** HELP_ALPHA=true: help tells of what is still to change. */
  readonly alpha?: boolean;
  /** Records as people read them, since stderr is a terminal. */
  readonly terminal?: boolean;
  readonly hints?: boolean;
}

/** Runs `opm ARGS...`; texts, streams and exit codes are those of upstream's tool. `clock` stamps log records. */
export function runOpm(args: readonly string[], clock: Clock, showing: OpmShowing = {}): OpmAnswer {
  const request = parseRequest(args, opmCommands, showing);
  const answer = request.kind === "answered" ? request.answer : answerRequest(request, showing);
  return shown(answer, request, clock, showing);
}

/** As {@link runOpm}, and the commands that go on until the world's signal. */
export async function runLongOpm(
  args: readonly string[],
  world: OpmWorld,
  showing: OpmShowing = {},
): Promise<OpmAnswer> {
  const request = parseRequest(args, longCommands, showing);
  if (request.kind === "answered") return shown(request.answer, request, world.clock, showing);
  world.err(request.warning);
  const answer = await request.command.run(request.parsed, world).catch((error: unknown) => {
    if (error instanceof FlagError) return wrongUsage(request.command, error, showing);
    throw error;
  });
  return shown(answer, request, world.clock, showing);
}

/** Whether the arguments name a command that takes its time. */
export function isLongOpm(args: readonly string[]): boolean {
  const { path } = find(args);
  return longCommands.some((command) => command.path === path);
}

function find(args: readonly string[]): ReturnType<typeof findCommand> {
  const paths = commandLines.map(({ path }) => path);
  return findCommand(args, [...paths, "help"], (path) => (path === "" ? onRoot : onGroups));
}

type Request<Command> =
  | { readonly kind: "answered"; readonly answer: OpmAnswer }
  | { readonly kind: "run"; readonly command: Command; readonly parsed: ParsedFlags; readonly warning: string };

/** The command that the arguments name, with its flags; or what is said where there is nothing to run. */
function parseRequest<Command extends OpmCommandLine>(
  args: readonly string[],
  commands: readonly Command[],
  showing: HelpOptions,
): Request<Command> {
  const { path, rest } = find(args);
  const answered = (answer: OpmAnswer): Request<Command> => ({ kind: "answered", answer });
  const command = commands.find((each) => each.path === path);
  if (command === undefined)
    return answered(path === "help" ? helpAnswer(rest, showing) : groupAnswer(path, rest, showing));
  let warning = "";
  try {
    const parsed = parseFlags(rest, [...command.flags, ...everywhere]);
    warning = deprecation.repeat(parsed.values.get("skip-tls")?.length ?? 0);
    if (flagSet(parsed, "help"))
      return answered({ exit: 0, stdout: commandHelp(command, everywhere, showing), stderr: warning });
    const problem = wordCountProblem(command, parsed.words.length);
    if (problem !== undefined) throw new FlagError(problem);
    const refused = command.refuseTransport === undefined ? undefined : transportProblem(parsed);
    if (refused !== undefined && command.refuseTransport !== undefined) {
      const answer = command.refuseTransport(refused);
      return answered({ ...answer, stderr: warning + answer.stderr });
    }
    return { kind: "run", command, parsed, warning };
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    const answer = wrongUsage(command, error, showing);
    return answered({ ...answer, stderr: warning + answer.stderr });
  }
}

function answerRequest(
  { command, parsed, warning }: Extract<Request<OpmCommand>, { kind: "run" }>,
  showing: HelpOptions,
): OpmAnswer {
  const answer = answerOf(command, parsed, showing);
  return { ...answer, stderr: warning + answer.stderr };
}

function answerOf(command: OpmCommand, parsed: ParsedFlags, showing: HelpOptions): OpmAnswer {
  try {
    return command.run(parsed);
  } catch (error) {
    if (error instanceof FlagError) return wrongUsage(command, error, showing);
    const system = goSystemError(error);
    if (system === undefined) throw error;
    return { exit: 1, stdout: "", stderr: `Error: ${system}\n` };
  }
}

function wrongUsage(command: OpmCommandLine, error: FlagError, showing: HelpOptions): OpmAnswer {
  return { exit: 1, stdout: "", stderr: `Error: ${error.message}\n${usageOf(command, everywhere, showing)}\n` };
}

/** Flags that say opposite things about TLS; given is given, whatever its value. */
function transportProblem(parsed: ParsedFlags): string | undefined {
  const isGiven = (name: string): boolean => parsed.values.has(name);
  const conflict = (text: string): string => `invalid flag combination: ${text}`;
  if (isGiven("skip-tls") && isGiven("use-http")) return conflict("cannot use --use-http with --skip-tls");
  if (isGiven("skip-tls") && isGiven("skip-tls-verify"))
    return conflict("cannot use --skip-tls-verify with --skip-tls");
  if (flagSet(parsed, "use-http") && flagSet(parsed, "skip-tls-verify"))
    return conflict("--use-http and --skip-tls-verify cannot both be true");
  return undefined;
}

/** `opm`, `opm alpha` and `opm alpha list` alone print nothing; what no command begins with is refused. */
function groupAnswer(path: string, rest: readonly string[], showing: HelpOptions): OpmAnswer {
  const flags = path === "" ? [...onRoot, ...everywhere] : everywhere;
  const refused = (message: string): OpmAnswer => ({
    exit: 1,
    stdout: "",
    stderr: `Error: ${message}\n${groupUsage(path, commandLines, everywhere, showing)}\n`,
  });
  try {
    const parsed = parseFlags(rest, flags);
    const stderr = deprecation.repeat(parsed.values.get("skip-tls")?.length ?? 0);
    if (flagSet(parsed, "help"))
      return { exit: 0, stdout: groupUsage(path, commandLines, everywhere, showing), stderr };
    const [word] = parsed.words;
    if (word === undefined) return { exit: 0, stdout: "", stderr };
    const answer = refused(`unknown command ${goQuote(word)} for ${goQuote(`opm ${path}`.trim())}`);
    return { ...answer, stderr: stderr + answer.stderr };
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return refused(error.message);
  }
}

/** `opm help COMMAND`: as far as the words lead. */
function helpAnswer(words: readonly string[], showing: HelpOptions): OpmAnswer {
  const { path } = find(words);
  const command = commandLines.find((each) => each.path === path);
  const stdout =
    command === undefined
      ? groupUsage(path === "help" ? "" : path, commandLines, everywhere, showing)
      : commandHelp(command, everywhere, showing);
  return { exit: 0, stdout, stderr: "" };
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
