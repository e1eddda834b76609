import type { CommandSpec, RootCommand, SubcommandFamily, SubcommandSpec } from "../command.ts";
import { UsageError, isFamily } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { globalOptions } from "../global-options.ts";

const flagsOf = (command: SubcommandSpec): readonly string[] =>
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
  name: "completion",
  group: "Other",
  summary: "Print a completion script for a shell",
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
 * Completions of the last of `words`: commands, flags of the command, values of a flag with choices. Empty where an
 * argument or a free value is expected, so that the shell completes file names.
 */
export function completions(commands: readonly RootCommand[], words: readonly string[]): readonly string[] {
  let members: readonly (SubcommandSpec | SubcommandFamily)[] = commands;
  for (const word of words.slice(0, -1)) {
    const found = members.find(({ name }) => name === word);
    if (found === undefined) break;
    if (!isFamily(found)) return completionsOf(found, words);
    members = found.members;
  }
  return members.map(({ name }) => name);
}

function completionsOf(command: SubcommandSpec, words: readonly string[]): readonly string[] {
  const before = words.at(-2) ?? "";
  const option = [...(command.options ?? []), ...globalOptions].find(({ flags }) =>
    flags.split(/[ ,]+/).includes(before),
  );
  const takesValue = option !== undefined && / \S+$/.test(option.flags);
  if (takesValue) return option.choices ?? [];
  const isArgument = (command.arguments ?? []).length > 0 && !(words.at(-1) ?? "").startsWith("-");
  return isArgument ? [] : [...new Set(flagsOf(command))];
}
