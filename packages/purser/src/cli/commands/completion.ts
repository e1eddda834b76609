import type { CommandSpec, LazyCommand, RootCommand, Subcommand } from "../command.ts";
import { UsageError, isFamily, loaded } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { LiveKind } from "../find/live-names.ts";
import { globalOptions, helpTopics } from "../global-options.ts";
import { longFlag } from "../option-flags.ts";
import type { Terminal } from "../output/terminal.ts";

const flagsOf = (command: CommandSpec): readonly string[] =>
  [...(command.options ?? []), ...globalOptions].flatMap(({ flags }) =>
    flags.split(/[ ,]+/).filter((part) => part.startsWith("--")),
  );

const templates: Readonly<Record<string, string>> = {
  bash: '_purser() { COMPREPLY=($(compgen -W "$(purser __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}")); }\ncomplete -o default -F _purser purser',
  zsh: '#compdef purser\n_purser() { local -a found; found=(${(f)"$(purser __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"}); if (( $#found )); then compadd -a found; else _files; fi }\ncompdef _purser purser',
  // Without -f, fish offers files as well.
  fish: "complete -c purser -a '(purser __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'",
  powershell:
    'Register-ArgumentCompleter -Native -CommandName purser -ScriptBlock { param($word, $ast) purser __complete $ast.CommandElements[1..($ast.CommandElements.Count)] 2>$null | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) } }',
};

export const completionCommand: CommandSpec = {
  arguments: [{ name: "shell", summary: Object.keys(templates).join(", "), required: true }],
  examples: [["source <(purser completion bash)", "for this shell"]],
  run: ({ arguments: [shell = ""] }) => {
    const script = Object.hasOwn(templates, shell) ? templates[shell] : undefined;
    if (script === undefined)
      throw new UsageError(`there is no completion for "${shell}"`, `shells: ${Object.keys(templates).join(", ")}`);
    return Promise.resolve({ exitCode: exitCodes.done, verbatim: `${script}\n` });
  },
};

/**
 * Completions of the last of `words`: commands, flags of the command, values of a flag with choices, and names that the cluster and
 * the kept catalogs have. Empty where another argument or a free value is expected, so that the shell completes file names.
 */
export async function completions(
  commands: readonly RootCommand[],
  words: readonly string[],
  terminal?: Terminal,
): Promise<readonly string[]> {
  let members: readonly (Subcommand | LazyCommand)[] = commands;
  for (const word of words.slice(0, -1)) {
    const named = members.find(({ name }) => name === word);
    if (named === undefined) break;
    if (word === "opm") return opmCompletions(words.slice(1));
    const found = await loaded(named);
    if (!isFamily(found)) return completionsOf(found, words, terminal);
    members = found.members;
  }
  if (words[0] === "help" && words.length === 2) return [...members.map(({ name }) => name), ...topicNames];
  return members.map(({ name }) => name);
}

const topicNames = helpTopics.map(({ name }) => name);

async function opmCompletions(words: readonly string[]): Promise<readonly string[]> {
  const { answerOpm } = await import("../opm/answer-opm.ts");
  const ignore = (): void => undefined;
  const interrupt = (): AbortSignal => new AbortController().signal;
  const { stdout } = await answerOpm(["__completeNoDesc", ...words], { interrupt, out: ignore, err: ignore });
  // The last line is a directive for scripts of Go's cobra.
  return stdout.split("\n").filter((line) => line !== "" && !line.startsWith(":"));
}

async function completionsOf(
  command: CommandSpec,
  words: readonly string[],
  terminal: Terminal | undefined,
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  const live = async (kinds: readonly LiveKind[]): Promise<readonly string[]> => {
    if (terminal === undefined || kinds.length === 0) return [];
    const { liveNames } = await import("../find/live-names.ts");
    return liveNames(kinds, words, typed, terminal);
  };
  const option = [...(command.options ?? []), ...globalOptions].find(({ flags }) =>
    flags.split(/[ ,]+/).includes(before),
  );
  const takesValue = option !== undefined && / \S+$/.test(option.flags);
  if (takesValue) return option.choices ?? live(kindsOfFlag[longFlag(option)] ?? []);
  const [argument] = command.arguments ?? [];
  if (argument === undefined || typed.startsWith("-")) return [...new Set(flagsOf(command))];
  const kinds = kindsOfArgument[argument.name] ?? [];
  // What such commands take beside installations: packages that are not installed, and pending InstallPlans.
  const others: readonly LiveKind[] = [
    ...(/PACKAGE@/.test(argument.summary) ? (["package"] as const) : []),
    ...(/INSTALLPLAN/.test(argument.summary) ? (["installplan"] as const) : []),
  ];
  return live([...new Set([...kinds, ...others])]);
}

const kindsOfArgument: Readonly<Record<string, readonly LiveKind[]>> = {
  installation: ["installation"],
  package: ["package"],
  namespace: ["namespace"],
  source: ["source"],
};

const kindsOfFlag: Readonly<Record<string, readonly LiveKind[]>> = {
  "--namespace": ["namespace"],
  "--channel": ["channel"],
  "--from-source": ["source"],
  "--source": ["source"],
};
