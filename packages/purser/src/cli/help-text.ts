import type { CommandGroup, LazyCommand, OptionSpec, RootCommand, Subcommand } from "./command.ts";
import { type SubcommandFamily, type SubcommandSpec, UsageError, isFamily, loaded } from "./command.ts";
import { globalOptions, globalOptionsOnFiles, helpTopics } from "./global-options.ts";
import { longFlag } from "./option-flags.ts";

const column = (rows: readonly (readonly [string, string])[], indent = "  "): string => {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${indent}${left.padEnd(width)}  ${right}`.trimEnd()).join("\n");
};

const groups: readonly CommandGroup[] = ["Find", "Change", "Look", "Govern", "Care", "Author", "Run", "Other"];

/** The help of the program: one line for each command, by group. */
export function rootHelp(programName: string, commands: readonly RootCommand[]): string {
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

/**
 * The help of the command, family or topic that `words` name.
 * @throws UsageError when there is no such command or topic
 */
export async function helpFor(
  programName: string,
  commands: readonly RootCommand[],
  words: readonly string[],
): Promise<string> {
  const [topic] = words;
  if (topic === undefined) return rootHelp(programName, commands);
  let members: readonly (Subcommand | LazyCommand)[] = commands;
  let path = programName;
  let found: Subcommand | undefined;
  let onFiles = false;
  for (const word of words) {
    const named = members.find(({ name }) => name === word);
    found = named === undefined ? undefined : await loaded(named);
    if (found === undefined) break;
    path = `${path} ${word}`;
    onFiles ||= found.onFiles === true;
    members = isFamily(found) ? found.members : [];
  }
  if (found !== undefined) return isFamily(found) ? familyHelp(path, found) : commandHelp(path, found, onFiles);
  const text = helpTopics.find(({ name }) => name === topic)?.text;
  if (text !== undefined && words.length === 1) return text;
  throw new UsageError(
    `no help for "${words.join(" ")}"`,
    path === programName ? `topics: ${helpTopics.map(({ name }) => name).join(", ")}` : `${path} --help`,
  );
}

/** The help of a family: one line for each member. */
export function familyHelp(path: string, family: SubcommandFamily): string {
  const { alone, name, summary, description, members } = family;
  const head =
    alone === undefined
      ? [
          summary,
          "",
          ...(description === undefined ? [] : [description, ""]),
          `Usage: ${path} <command> [arguments] [flags]`,
        ]
      : [commandHelp(path, { ...alone, name, summary }, false)];
  return [
    ...head,
    "",
    "Commands",
    column(members.map((member) => [member.name, member.summary])),
    "",
    `Details: ${path} <command> --help`,
  ].join("\n");
}

/** The help of one command. `path` is the program name and the words that name the command. */
export function commandHelp(path: string, command: SubcommandSpec, onFiles: boolean): string {
  const usage = [
    path,
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
  const own = new Set((command.options ?? []).map((spec) => longFlag(spec)));
  const common = onFiles ? globalOptionsOnFiles : globalOptions;
  parts.push("", "Global flags", describe(common.filter((spec) => !own.has(longFlag(spec)))));
  if ((command.examples ?? []).length > 0)
    parts.push("", "Examples", column((command.examples ?? []).map(([line, does]) => [line, does])));
  return parts.join("\n");
}
