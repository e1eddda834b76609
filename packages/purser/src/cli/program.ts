import type { Invocation, LazyCommand, OptionSpec, OptionValue, Outcome, RootCommand, Subcommand } from "./command.ts";
import { type SubcommandSpec, UsageError, isFamily, loaded } from "./command.ts";
import { commandHelp, familyHelp, helpFor, rootHelp } from "./help-text.ts";
import { globalOptions } from "./global-options.ts";
import { nearestNames } from "../explanation/nearest-name.ts";
import { splitFlags } from "./option-flags.ts";

export interface ParsedCommand {
  readonly kind: "run";
  /** The words that name the command: `list`, `catalog validate`. */
  readonly name: string;
  readonly command: SubcommandSpec;
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, OptionValue | undefined>>;
}

export type Parsed = ParsedCommand | { readonly kind: "help"; readonly text: string };

const withValue = (specs: readonly OptionSpec[]): ReadonlySet<string> =>
  new Set(
    specs
      .filter(({ flags }) => splitFlags(flags).value !== undefined)
      .flatMap(({ flags }) => splitFlags(flags).names.split(", ")),
  );
const globalFlagsWithValue = withValue(globalOptions);

/** Index of the first argument that is neither a flag nor the value of one; -1 when there is none. */
const firstWord = (args: readonly string[], flagsWithValue = globalFlagsWithValue): number => {
  const separator = args.indexOf("--");
  const own = separator < 0 ? args : args.slice(0, separator);
  return own.findIndex((arg, index) => !arg.startsWith("-") && !flagsWithValue.has(own[index - 1] ?? ""));
};

const without = (args: readonly string[], index: number): readonly string[] => [
  ...args.slice(0, index),
  ...args.slice(index + 1),
];

/**
 * Parses the arguments to a command to run or a help text.
 *
 * Only the parser of the named command is built: building those of all commands takes longer than most commands run.
 * @throws UsageError for invalid arguments
 */
export async function parseArguments(
  programName: string,
  commands: readonly RootCommand[],
  args: readonly string[],
): Promise<Parsed> {
  const separator = args.indexOf("--");
  const own = separator < 0 ? args : args.slice(0, separator);
  const wantsHelp = own.includes("--help") || own.includes("-h");
  const nameIndex = firstWord(args);
  const name = args[nameIndex];
  if (name === undefined) {
    if (own.includes("--version")) return parseArguments(programName, commands, ["version", "--client"]);
    const stray = own.find((arg) => arg !== "--help" && arg !== "-h");
    if (stray !== undefined && !wantsHelp)
      throw new UsageError(`no command given before "${stray}"`, `${programName} --help`);
    return { kind: "help", text: rootHelp(programName, commands) };
  }
  const rest = without(args, nameIndex);
  if (name === "help") {
    const topic = rest.filter((arg) => !arg.startsWith("-"));
    return { kind: "help", text: await helpFor(programName, commands, topic) };
  }
  return parseNamed(programName, await find(programName, commands, name), rest, wantsHelp);
}

async function parseNamed(
  path: string,
  command: Subcommand,
  rest: readonly string[],
  wantsHelp: boolean,
  inFamilyOnFiles = false,
): Promise<Parsed> {
  const ownPath = `${path} ${command.name}`;
  const onFiles = inFamilyOnFiles || command.onFiles === true;
  if (!isFamily(command)) {
    if (wantsHelp) return { kind: "help", text: commandHelp(ownPath, command, onFiles) };
    return parseFlags(ownPath, command, rest);
  }
  const { alone } = command;
  const nameIndex = firstWord(rest, globalFlagsWithValue.union(withValue(alone?.options ?? [])));
  const name = rest[nameIndex];
  if (name === undefined && alone !== undefined && !wantsHelp)
    return parseFlags(ownPath, { ...alone, name: command.name, summary: command.summary }, rest);
  if (name === undefined) {
    const stray = rest.find((arg) => arg !== "--help" && arg !== "-h");
    if (stray !== undefined && !wantsHelp)
      throw new UsageError(`no command given before "${stray}"`, `${ownPath} --help`);
    return { kind: "help", text: familyHelp(ownPath, command) };
  }
  const member = await find(ownPath, command.members, name);
  return parseNamed(ownPath, member, without(rest, nameIndex), wantsHelp, onFiles);
}

async function find(path: string, commands: readonly (Subcommand | LazyCommand)[], name: string): Promise<Subcommand> {
  const command = commands.find((spec) => spec.name === name);
  if (command !== undefined) return loaded(command);
  // The name of a subcommand without its family: the error lists the families that have it.
  const members = await memberPaths(path, commands, name);
  if (members.length > 0)
    throw new UsageError(
      `unknown command "${[...path.split(" ").slice(1), name].join(" ")}"`,
      `did you mean ${members.map((line) => `"${line}"`).join(" or ")}?`,
    );
  const [nearest] = nearestNames(
    name,
    commands.map((spec) => spec.name),
  );
  throw new UsageError(
    `unknown command "${[...path.split(" ").slice(1), name].join(" ")}"`,
    nearest === undefined ? `${path} --help` : `did you mean "${path} ${nearest}"?`,
  );
}

/** The command lines of the members called `name` of the families among `commands`, and of theirs. */
async function memberPaths(
  path: string,
  commands: readonly (Subcommand | LazyCommand)[],
  name: string,
): Promise<readonly string[]> {
  const each = commands.map(async (command) => {
    const family = await loaded(command);
    if (!isFamily(family)) return [];
    const own = `${path} ${family.name}`;
    const direct = family.members.some((member) => member.name === name) ? [`${own} ${name}`] : [];
    return [...direct, ...(await memberPaths(own, family.members, name))];
  });
  return (await Promise.all(each)).flat();
}

/** Loads the parser of flags: a help text needs none. */
async function parseFlags(path: string, command: SubcommandSpec, args: readonly string[]): Promise<Parsed> {
  const { parseCommand } = await import("./parse-command.ts");
  return { kind: "run", name: path.split(" ").slice(1).join(" "), command, ...parseCommand(path, command, args) };
}

/** Runs a parsed command; separate from {@link parseArguments} so that tests can run commands without a process. */
export function runCommand(parsed: ParsedCommand, context: Pick<Invocation, "terminal" | "signal">): Promise<Outcome> {
  return parsed.command.run({ arguments: parsed.arguments, options: parsed.options, ...context });
}
