import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import type { Clock } from "../../clock.ts";
import { goQuote } from "../../go-quote.ts";
import { authorCommands } from "./author-commands.ts";
import { bundleCommands } from "./bundle-commands.ts";
import { catalogCommands, validateOnAllCores } from "./catalog-commands.ts";
import { FlagError, type FlagSpec, type ParsedFlags, parseFlags } from "./flags.ts";
import {
  flagSet,
  type LongOpmCommand,
  type OpmCommand,
  type OpmCommandLine,
  type OpmWorld,
  wordCountProblem,
} from "./opm-command.ts";
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

/** Runs `opm ARGS...`; texts, streams and exit codes are those of upstream's tool. `clock` stamps log records. */
export function runOpm(args: readonly string[], clock: Clock): OpmAnswer {
  const request = parseRequest(args, opmCommands);
  const answer = request.kind === "answered" ? request.answer : answerRequest(request);
  return { ...answer, stderr: withTimes(answer, clock.now()) };
}

/** As {@link runOpm}, and the commands that go on until the world's signal. */
export async function runLongOpm(args: readonly string[], world: OpmWorld): Promise<OpmAnswer> {
  const request = parseRequest(args, longCommands);
  if (request.kind === "answered") return { ...request.answer, stderr: withTimes(request.answer, world.clock.now()) };
  world.err(request.warning);
  const answer = await request.command.run(request.parsed, world).catch((error: unknown) => {
    if (error instanceof FlagError) return wrongUsage(request.command, error);
    throw error;
  });
  return { ...answer, stderr: withTimes(answer, world.clock.now()) };
}

/** Whether the arguments name a command that goes on until it is stopped. */
export function isLongOpm(args: readonly string[]): boolean {
  const [first] = commandFirst(args);
  return longCommands.some(({ path }) => path === first);
}

/** Flags that every command takes may stand in front of its name. */
function commandFirst(args: readonly string[]): readonly string[] {
  const first = args.findIndex((arg) => !everywhere.some(({ name }) => arg === `--${name}`));
  return first <= 0 ? args : [...args.slice(first), ...args.slice(0, first)];
}

type Request<Command> =
  | { readonly kind: "answered"; readonly answer: OpmAnswer }
  | { readonly kind: "run"; readonly command: Command; readonly parsed: ParsedFlags; readonly warning: string };

/** The command that the arguments name, with its flags; or what is said where there is nothing to run. */
function parseRequest<Command extends OpmCommandLine>(
  given: readonly string[],
  commands: readonly Command[],
): Request<Command> {
  const args = commandFirst(given);
  const answered = (answer: OpmAnswer): Request<Command> => ({ kind: "answered", answer });
  const command = commands.find(({ path }) => path.split(" ").every((word, index) => args[index] === word));
  if (command === undefined) return answered(groupAnswer(args));
  try {
    const parsed = parseFlags(args.slice(command.path.split(" ").length), [...command.flags, ...everywhere]);
    if (flagSet(parsed, "help"))
      return answered({ exit: 0, stdout: `${command.summary}\n\n${usageOf(command)}`, stderr: "" });
    const problem = wordCountProblem(command, parsed.words.length) ?? transportProblem((name) => flagSet(parsed, name));
    if (problem !== undefined) throw new FlagError(problem);
    const warning = flagSet(parsed, "skip-tls")
      ? "Flag --skip-tls has been deprecated, use --use-http and --skip-tls-verify instead\n"
      : "";
    return { kind: "run", command, parsed, warning };
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return answered(wrongUsage(command, error));
  }
}

function answerRequest({ command, parsed, warning }: Extract<Request<OpmCommand>, { kind: "run" }>): OpmAnswer {
  try {
    const answer = command.run(parsed);
    return { ...answer, stderr: warning + answer.stderr };
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return wrongUsage(command, error);
  }
}

function wrongUsage(command: OpmCommandLine, error: FlagError): OpmAnswer {
  return { exit: 1, stdout: "", stderr: `Error: ${error.message}\n${usageOf(command)}\n` };
}

function transportProblem(isSet: (name: string) => boolean): string | undefined {
  const conflict = (text: string): string => `invalid flag combination: ${text}`;
  if (isSet("skip-tls") && isSet("use-http")) return conflict("cannot use --use-http with --skip-tls");
  if (isSet("skip-tls") && isSet("skip-tls-verify")) return conflict("cannot use --skip-tls-verify with --skip-tls");
  if (isSet("use-http") && isSet("skip-tls-verify"))
    return conflict("--use-http and --skip-tls-verify cannot both be true");
  return undefined;
}

/** `opm`, `opm alpha` and `opm alpha list` alone print nothing; what no command begins with is refused. */
function groupAnswer(args: readonly string[]): OpmAnswer {
  const help = args.find((arg) => arg === "--help" || arg === "-h");
  const words = args.filter((arg) => !arg.startsWith("-"));
  let group = "";
  for (const word of words) {
    const longer = group === "" ? word : `${group} ${word}`;
    if (!commandLines.some(({ path }) => path.startsWith(`${longer} `)))
      return refusal(`unknown command ${goQuote(word)} for ${goQuote(`opm ${group}`.trim())}`, group);
    group = longer;
  }
  const stray = args.find((arg) => arg.startsWith("-") && arg !== "--help" && arg !== "-h");
  if (stray !== undefined) return refusal(`unknown flag: ${stray}`, group);
  return { exit: 0, stdout: help === undefined ? "" : groupHelp(group), stderr: "" };
}

function refusal(message: string, group: string): OpmAnswer {
  return { exit: 1, stdout: "", stderr: `Error: ${message}\nRun '${`opm ${group}`.trim()} --help' for usage.\n` };
}

function groupHelp(group: string): string {
  const members = commandLines.filter(({ path }) => group === "" || path.startsWith(`${group} `));
  const width = Math.max(...members.map(({ path }) => path.length));
  return `Commands:\n${members.map(({ path, summary }) => `  ${path.padEnd(width)}  ${summary}\n`).join("")}`;
}

function usageOf({ path, usage, flags }: OpmCommandLine): string {
  const shown = [...flags, ...everywhere].map(({ name, short, value, summary }) => [
    `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    summary,
  ]);
  const width = Math.max(...shown.map(([left = ""]) => left.length));
  const lines = shown.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}\n`);
  return `Usage:\n  ${`opm ${path} ${usage}`.trim()} [flags]\n\nFlags:\n${lines.join("")}`;
}

/** Log records carry the time in RFC 3339; Go's plain logger puts it in front of its text. */
function withTimes({ exit, stderr }: OpmAnswer, now: number): string {
  if (stderr === "" || stderr.startsWith("Error: ")) return stderr;
  const stamp = new Date(now).toISOString();
  const record = `time="${stamp.slice(0, 19)}Z" `;
  if (/^level=/m.test(stderr)) return stderr.replaceAll(/^level=/gm, `${record}level=`);
  return exit === 0 ? stderr : `${stamp.slice(0, 19).replaceAll("-", "/").replace("T", " ")} ${stderr}`;
}
