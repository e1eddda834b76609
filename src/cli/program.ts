import { Command, CommanderError, Option } from "commander";
import type { CommandSpec, Invocation, OptionSpec, OptionValue, Outcome } from "./command.ts";
import { UsageError } from "./command.ts";
import { globalOptions, helpTopics } from "./global-options.ts";
import { nearestNames } from "../explanation/nearest-name.ts";

export type Parsed =
  | {
      readonly kind: "run";
      readonly command: CommandSpec;
      readonly arguments: readonly string[];
      readonly options: Readonly<Record<string, OptionValue | undefined>>;
    }
  | { readonly kind: "help"; readonly text: string };

/** `-n, --namespace NS` as its names and what stands for its value. */
function splitFlags(flags: string): { readonly names: string; readonly value: string | undefined } {
  const [names = flags] = /^(?:-\w, )?--[a-z-]+/.exec(flags) ?? [];
  const value = flags.slice(names.length).trim();
  return { names, value: value === "" ? undefined : value };
}

const optionOf = (spec: OptionSpec): Option => {
  // What stands for the value is for people ("[NAMESPACE/]NAME=PATH"); the parser only needs to know that there is one.
  const { names, value } = splitFlags(spec.flags);
  const option = new Option(value === undefined ? names : `${names} <value>`, spec.summary);
  if (spec.choices !== undefined) option.choices([...spec.choices]);
  if (spec.repeatable === true)
    option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
};

/**
 * Long option names by their camel-case attribute, so that handlers see the names people type;
 * `--no-wait` shows as `wait`, which is true unless the flag is given.
 */
function namesByAttribute(specs: readonly OptionSpec[]): ReadonlyMap<string, string> {
  return new Map(
    specs.map((spec) => [optionOf(spec).attributeName(), optionOf(spec).long?.replace(/^--(no-)?/, "") ?? spec.flags]),
  );
}

/**
 * Turns arguments into one command to run, or a help text.
 *
 * Only the named command is built: describing every flag of every command to the parser costs more than most commands run.
 * @throws UsageError for anything a person mistyped
 */
export function parseArguments(programName: string, commands: readonly CommandSpec[], args: readonly string[]): Parsed {
  const separator = args.indexOf("--");
  const own = separator < 0 ? args : args.slice(0, separator);
  const wantsHelp = own.includes("--help") || own.includes("-h");
  const valueFlags = new Set(
    globalOptions
      .filter(({ flags }) => splitFlags(flags).value !== undefined)
      .flatMap(({ flags }) => splitFlags(flags).names.split(", ")),
  );
  const nameIndex = own.findIndex((arg, index) => !arg.startsWith("-") && !valueFlags.has(own[index - 1] ?? ""));
  const name = nameIndex < 0 ? undefined : own[nameIndex];
  if (name === undefined) {
    if (own.includes("--version")) return parseArguments(programName, commands, ["version", "--client"]);
    const stray = own.find((arg) => arg !== "--help" && arg !== "-h");
    if (stray !== undefined && !wantsHelp)
      throw new UsageError(`no command given before "${stray}"`, `${programName} --help`);
    return { kind: "help", text: rootHelp(programName, commands) };
  }
  if (name === "help") return helpFor(programName, commands, own[nameIndex + 1]);
  const command = commands.find((spec) => spec.name === name);
  if (command === undefined) {
    const [nearest] = nearestNames(
      name,
      commands.map((spec) => spec.name),
    );
    throw new UsageError(
      `unknown command "${name}"`,
      nearest === undefined ? `${programName} --help` : `did you mean "${programName} ${nearest}"?`,
    );
  }
  if (wantsHelp) return { kind: "help", text: commandHelp(programName, command) };
  return parseCommand(programName, command, [...args.slice(0, nameIndex), ...args.slice(nameIndex + 1)]);
}

function parseCommand(programName: string, command: CommandSpec, args: readonly string[]): Parsed {
  const specs = [
    ...(command.options ?? []),
    ...globalOptions.filter(
      (global) => !(command.options ?? []).some((own) => optionOf(own).long === optionOf(global).long),
    ),
  ];
  const parser = buildParser(programName, command, specs);
  try {
    parser.parse([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const message = error.message.replace(/^error: /, "").replaceAll("'", '"');
    const [sentence = message, suggestion] = message.split("\n");
    throw new UsageError(sentence, suggestion?.replace(/^\(|\)$/g, "") ?? `${programName} ${command.name} --help`);
  }
  const names = namesByAttribute(specs);
  const options = Object.fromEntries(
    Object.entries(parser.opts()).map(([key, value]) => [names.get(key) ?? key, value as OptionValue]),
  );
  return { kind: "run", command, arguments: parser.args, options };
}

function buildParser(programName: string, command: CommandSpec, specs: readonly OptionSpec[]): Command {
  const parser = new Command(`${programName} ${command.name}`)
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

const column = (rows: readonly (readonly [string, string])[], indent = "  "): string => {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${indent}${left.padEnd(width)}  ${right}`.trimEnd()).join("\n");
};

const groups: readonly CommandSpec["group"][] = ["Find", "Change", "Look", "Govern", "Care", "Author", "Run", "Other"];

function rootHelp(programName: string, commands: readonly CommandSpec[]): string {
  const sections = groups
    .map((group) => [group, commands.filter((command) => command.group === group)] as const)
    .filter(([, members]) => members.length > 0)
    .map(([group, members]) => `${group}\n${column(members.map(({ name, summary }) => [name, summary]))}`);
  return [
    "Purser installs, upgrades and explains Kubernetes operators. It speaks OLM v0 and v1.",
    "",
    `Usage: ${programName} <command> [arguments] [flags]`,
    "",
    sections.join("\n\n"),
    "",
    `Start here: ${programName} up        a cluster on this computer, with a demo catalog`,
    `Details:    ${programName} <command> --help, ${programName} help ${helpTopics.map(({ name }) => name).join("|")}`,
  ].join("\n");
}

function helpFor(programName: string, commands: readonly CommandSpec[], topic: string | undefined): Parsed {
  if (topic === undefined) return { kind: "help", text: rootHelp(programName, commands) };
  const command = commands.find((spec) => spec.name === topic);
  if (command !== undefined) return { kind: "help", text: commandHelp(programName, command) };
  const text = helpTopics.find(({ name }) => name === topic)?.text;
  if (text !== undefined) return { kind: "help", text };
  throw new UsageError(`no help for "${topic}"`, `topics: ${helpTopics.map(({ name }) => name).join(", ")}`);
}

/** Everything one command takes, as text. */
export function commandHelp(programName: string, command: CommandSpec): string {
  const usage = [
    programName,
    command.name,
    ...(command.arguments ?? []).map(({ name, required, variadic }) => {
      const word = `${name}${variadic === true ? "..." : ""}`;
      return required === true ? `<${word}>` : `[${word}]`;
    }),
    "[flags]",
  ];
  const parts = [
    command.summary,
    "",
    ...(command.description === undefined ? [] : [command.description, ""]),
    `Usage: ${usage.join(" ")}`,
  ];
  if ((command.arguments ?? []).length > 0)
    parts.push("", "Arguments", column((command.arguments ?? []).map(({ name, summary }) => [name, summary])));
  const describe = (options: readonly OptionSpec[]): string =>
    column(
      options.map(({ flags, summary, choices, repeatable }) => [
        flags,
        `${summary}${choices === undefined ? "" : ` (${choices.join("|")})`}${repeatable === true ? " (repeatable)" : ""}`,
      ]),
    );
  if ((command.options ?? []).length > 0) parts.push("", "Flags", describe(command.options ?? []));
  const own = new Set((command.options ?? []).map((spec) => optionOf(spec).long));
  parts.push("", "Global flags", describe(globalOptions.filter((spec) => !own.has(optionOf(spec).long))));
  if ((command.examples ?? []).length > 0)
    parts.push("", "Examples", column((command.examples ?? []).map(([line, does]) => [line, does])));
  return parts.join("\n");
}

/** Runs a parsed command; kept apart so that tests can call commands without a process. */
export function runCommand(
  parsed: Extract<Parsed, { kind: "run" }>,
  context: Pick<Invocation, "terminal" | "signal">,
): Promise<Outcome> {
  return parsed.command.run({ arguments: parsed.arguments, options: parsed.options, ...context });
}
