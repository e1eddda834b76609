import { Command, CommanderError, Option } from "commander";
import type {
  Invocation,
  OptionSpec,
  OptionValue,
  Outcome,
  RootCommand,
  SubcommandFamily,
  SubcommandSpec,
} from "./command.ts";
import { UsageError, isFamily } from "./command.ts";
import { commandHelp, familyHelp, helpFor, rootHelp } from "./help-text.ts";
import { globalOptions } from "./global-options.ts";
import { isTemplated } from "./output/output-format.ts";
import { nearestNames } from "../explanation/nearest-name.ts";
import { splitFlags } from "./option-flags.ts";

export type Parsed =
  | {
      readonly kind: "run";
      /** The words that name the command: `list`, `catalog validate`. */
      readonly name: string;
      readonly command: SubcommandSpec;
      readonly arguments: readonly string[];
      readonly options: Readonly<Record<string, OptionValue | undefined>>;
    }
  | { readonly kind: "help"; readonly text: string };

const optionOf = (spec: OptionSpec): Option => {
  // The placeholder of the value ("[NAMESPACE/]NAME=PATH") is for the help; the parser only needs to know that one exists.
  const { names, value } = splitFlags(spec.flags);
  const option = new Option(value === undefined ? names : `${names} <value>`, spec.summary);
  if (spec.choices !== undefined) option.choices([...spec.choices]);
  const chosen = option.parseArg;
  // Whatever prints a document prints parts of it too.
  if (option.long === "--output" && chosen !== undefined && spec.choices?.includes("json") === true)
    option.argParser((value: string, before: unknown) => (isTemplated(value) ? value : chosen(value, before)));
  if (spec.repeatable === true)
    option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
};

/**
 * Long flag names by commander's camel-case attribute, so that handlers get the names that users type.
 * `--no-wait` becomes `wait`, which is true unless the flag is set.
 */
function namesByAttribute(specs: readonly OptionSpec[]): ReadonlyMap<string, string> {
  return new Map(
    specs.map((spec) => [optionOf(spec).attributeName(), optionOf(spec).long?.replace(/^--(no-)?/, "") ?? spec.flags]),
  );
}

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
export function parseArguments(programName: string, commands: readonly RootCommand[], args: readonly string[]): Parsed {
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
    return { kind: "help", text: helpFor(programName, commands, topic) };
  }
  return parseNamed(programName, find(programName, commands, name), rest, wantsHelp);
}

function parseNamed(
  path: string,
  command: SubcommandSpec | SubcommandFamily,
  rest: readonly string[],
  wantsHelp: boolean,
  inFamilyOnFiles = false,
): Parsed {
  const ownPath = `${path} ${command.name}`;
  const onFiles = inFamilyOnFiles || command.onFiles === true;
  if (!isFamily(command)) {
    if (wantsHelp) return { kind: "help", text: commandHelp(ownPath, command, onFiles) };
    return parseCommand(ownPath, command, rest);
  }
  const { alone } = command;
  const nameIndex = firstWord(rest, globalFlagsWithValue.union(withValue(alone?.options ?? [])));
  const name = rest[nameIndex];
  if (name === undefined && alone !== undefined && !wantsHelp) return parseCommand(ownPath, alone, rest);
  if (name === undefined) {
    const stray = rest.find((arg) => arg !== "--help" && arg !== "-h");
    if (stray !== undefined && !wantsHelp)
      throw new UsageError(`no command given before "${stray}"`, `${ownPath} --help`);
    return { kind: "help", text: familyHelp(ownPath, command) };
  }
  return parseNamed(ownPath, find(ownPath, command.members, name), without(rest, nameIndex), wantsHelp, onFiles);
}

function find<Spec extends SubcommandSpec | SubcommandFamily>(
  path: string,
  commands: readonly Spec[],
  name: string,
): Spec {
  const command = commands.find((spec) => spec.name === name);
  if (command !== undefined) return command;
  // The name of a subcommand without its family: the error lists the families that have it.
  const members = commands.flatMap((spec) => (isFamily(spec) ? memberPaths(`${path} ${spec.name}`, spec, name) : []));
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

function memberPaths(path: string, family: SubcommandFamily, name: string): readonly string[] {
  return family.members.flatMap((member) => {
    const own = `${path} ${member.name}`;
    return [...(member.name === name ? [own] : []), ...(isFamily(member) ? memberPaths(own, member, name) : [])];
  });
}

function parseCommand(path: string, command: SubcommandSpec, args: readonly string[]): Parsed {
  const specs = [
    ...(command.options ?? []),
    ...globalOptions.filter(
      (global) => !(command.options ?? []).some((own) => optionOf(own).long === optionOf(global).long),
    ),
  ];
  const parser = buildParser(path, command, specs);
  try {
    parser.parse([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const message = error.message.replace(/^error: /, "").replaceAll("'", '"');
    const [sentence = message, suggestion] = message.split("\n");
    throw new UsageError(sentence, suggestion?.replace(/^\(|\)$/g, "") ?? `${path} --help`);
  }
  const names = namesByAttribute(specs);
  const options = Object.fromEntries(
    Object.entries(parser.opts()).map(([key, value]) => [names.get(key) ?? key, value as OptionValue]),
  );
  return { kind: "run", name: path.split(" ").slice(1).join(" "), command, arguments: parser.args, options };
}

function buildParser(path: string, command: SubcommandSpec, specs: readonly OptionSpec[]): Command {
  const parser = new Command(path)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
    .helpOption(false)
    .allowExcessArguments(false)
    .showSuggestionAfterError(true);
  for (const argument of command.arguments ?? []) {
    const dots = argument.variadic === true ? "..." : "";
    parser.argument(
      argument.required === true ? `<${argument.name}${dots}>` : `[${argument.name}${dots}]`,
      argument.summary,
    );
  }
  for (const spec of specs) parser.addOption(optionOf(spec));
  return parser;
}

/** Runs a parsed command; separate from {@link parseArguments} so that tests can run commands without a process. */
export function runCommand(
  parsed: Extract<Parsed, { kind: "run" }>,
  context: Pick<Invocation, "terminal" | "signal">,
): Promise<Outcome> {
  return parsed.command.run({ arguments: parsed.arguments, options: parsed.options, ...context });
}
