import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import type { FoundCommand } from "./find-command.ts";
import type { FlagSpec } from "./flags.ts";
import { groups } from "./groups.ts";
import { isShown } from "./help.ts";
import type { OpmCommand, OpmCommandLine } from "./opm-command.ts";

/** The hidden commands that shell scripts call for completions of the last argument, with and without descriptions. */
export const completionRequests: readonly string[] = ["__complete", "__completeNoDesc"];

export const isCompletionRequest = (path: string): boolean => completionRequests.includes(path);

/** The command tree as input of the completion. */
export interface CompletionTree {
  readonly commandLines: readonly OpmCommandLine[];
  readonly everywhere: readonly FlagSpec[];
  readonly onRoot: readonly FlagSpec[];
  readonly find: (args: readonly string[]) => FoundCommand;
}

const noFiles = 4;
const filesAsUsual = 0;

/** Prints one completion per line, then `:` and the directive for the shell, as in Go's cobra. */
export function answerCompletion(path: string, args: readonly string[], tree: CompletionTree): OpmAnswer {
  if (args.length === 0)
    return {
      exit: 1,
      stdout: "",
      stderr: `Error: requires at least 1 arg(s), only received 0\nUsage:\n  opm ${path} [command-line]\n\n`,
    };
  const { candidates, directive } = candidatesFor(args, tree);
  const lines = candidates.map(({ word, summary }) =>
    path === "__complete" && summary !== "" ? `${word}\t${summary.split("\n", 1)[0] ?? ""}\n` : `${word}\n`,
  );
  const name = directive === noFiles ? "ShellCompDirectiveNoFileComp" : "ShellCompDirectiveDefault";
  return {
    exit: 0,
    stdout: `${lines.join("")}:${directive}\n`,
    stderr: `Completion ended with directive: ${name}\n`,
  };
}

interface Candidate {
  readonly word: string;
  readonly summary: string;
}

function candidatesFor(
  args: readonly string[],
  { commandLines, everywhere, onRoot, find }: CompletionTree,
): { readonly candidates: readonly Candidate[]; readonly directive: number } {
  const typed = args.at(-1) ?? "";
  const found = find(args.slice(0, -1));
  const { path, rest } = found.path === "help" ? find(found.rest) : found;
  if (found.path === "help" && !typed.startsWith("-"))
    return {
      candidates: membersOf(path, commandLines).filter(({ word }) => word.startsWith(typed)),
      directive: noFiles,
    };
  const command = commandLines.find((line) => line.path === path);
  const own = [...(command?.flags ?? []), ...everywhere.filter(({ name }) => name === "help")];
  const inherited = onRoot.filter(({ name }) => name !== "debug" && !own.some((flag) => flag.name === name));
  const flags = path === "" ? byName([...inherited, ...own]) : [...byName(inherited), ...byName(own)];
  if (typed.startsWith("-") && !typed.includes("=")) return flagCandidates(typed, flags, rest);
  const [previous = ""] = rest.slice(-1);
  const valued = flags.find(
    ({ name, short, value }) => value !== undefined && (previous === `--${name}` || previous === `-${short ?? ""}`),
  );
  if (valued !== undefined || typed.startsWith("-")) return { candidates: [], directive: filesAsUsual };
  const members =
    command === undefined && !rest.some((word) => !word.startsWith("-")) ? membersOf(path, commandLines) : [];
  const required = flags.filter((flag) => flag.required === true && !isGiven(flag, rest));
  const candidates = [
    ...members,
    ...(command === undefined ? [] : required.flatMap((flag) => wordsOf(flag, typed))),
  ].filter(({ word }) => word.startsWith(typed));
  const isCompletion = path === "completion" || path.startsWith("completion ");
  return { candidates, directive: members.length > 0 || isCompletion ? noFiles : filesAsUsual };
}

/** The visible members of a group, sorted as in the help. */
function membersOf(path: string, commandLines: readonly OpmCommandLine[]): readonly Candidate[] {
  const below = path === "" ? "" : `${path} `;
  const found = new Map<string, string>();
  const shown = commandLines.filter(({ hidden, deprecated }) => hidden !== true && deprecated === undefined);
  const isAlpha = (own: string): boolean => groups.some((group) => group.path === own && group.alpha === true);
  for (const line of shown) {
    if (!line.path.startsWith(below) || line.path === path) continue;
    const [name = ""] = line.path.slice(below.length).split(" ");
    if (isAlpha(below + name)) continue;
    const group = groups.find((each) => each.path === below + name);
    if (!found.has(name)) found.set(name, group?.summary ?? line.summary);
  }
  if (path === "") found.set("help", "help of a command");
  return [...found].map(([word, summary]) => ({ word, summary })).toSorted((a, b) => (a.word < b.word ? -1 : 1));
}

function byName(flags: readonly FlagSpec[]): readonly FlagSpec[] {
  return flags.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function flagCandidates(
  typed: string,
  flags: readonly FlagSpec[],
  rest: readonly string[],
): { readonly candidates: readonly Candidate[]; readonly directive: number } {
  const open = flags
    .filter((flag) => isShown(flag, false))
    .filter((flag) => flag.type === "list" || !isGiven(flag, rest));
  const required = open.filter((flag) => flag.required === true);
  const shown = (required.length > 0 ? required : open).flatMap((flag) => wordsOf(flag, typed));
  return { candidates: shown.filter(({ word }) => word.startsWith(typed)), directive: noFiles };
}

function wordsOf({ name, short, summary }: FlagSpec, typed: string): readonly Candidate[] {
  const words = [`--${name}`, ...(short === undefined || typed.startsWith("--") ? [] : [`-${short}`])];
  return words.map((word) => ({ word, summary }));
}

function isGiven({ name, short }: FlagSpec, words: readonly string[]): boolean {
  return words.some(
    (word) =>
      word === `--${name}` ||
      word.startsWith(`--${name}=`) ||
      (short !== undefined && new RegExp(`^-${short}`).test(word)),
  );
}

/** Shell scripts that call the completion command and complete file names when its directive says so. */
const scripts: Readonly<Record<string, string>> = {
  bash: [
    "_opm() {",
    '  local found directive; found=$(opm __completeNoDesc "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return',
    '  directive=${found##*:}; COMPREPLY=($(compgen -W "${found%:*}" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '  if [ "$directive" = 4 ]; then compopt +o default; else compopt -o default; fi',
    "}",
    "complete -o default -F _opm opm",
  ].join("\n"),
  zsh: [
    "#compdef opm",
    "_opm() {",
    '  local -a found; found=("${(@f)$(opm __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")',
    '  local directive=${found[-1]#:}; found=("${(@)found[1,-2]}")',
    "  if (( $#found )); then _describe word \"${(@)found//$'\\t'/:}\"; elif [[ $directive != 4 ]]; then _files; fi",
    "}",
    "compdef _opm opm",
  ].join("\n"),
  fish: [
    "function __opm_words",
    "  opm __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ':*'",
    "end",
    "complete -c opm -a '(__opm_words)'",
  ].join("\n"),
  powershell: [
    "Register-ArgumentCompleter -Native -CommandName opm -ScriptBlock {",
    "  param($word, $ast)",
    "  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })",
    "  if ($word -eq '') { $words += '\"\"' }",
    "  opm __completeNoDesc @words 2>$null | Where-Object { $_ -notlike ':*' -and $_ -like \"$word*\" } |",
    "    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }",
    "}",
  ].join("\n"),
};

function completion(shell: string, script: string): OpmCommand {
  const path = `completion ${shell}`;
  return {
    path,
    usage: "",
    summary: `print the script for ${shell}`,
    flags: [{ name: "no-descriptions", summary: "complete without descriptions" }],
    words: [0, 0],
    run: (parsed) => ({
      exit: 0,
      stdout: `${parsed.values.get("no-descriptions")?.at(-1) === "true" ? script.replaceAll("__complete ", "__completeNoDesc ") : script}\n`,
      stderr: "",
    }),
  };
}

export const completionCommands: readonly OpmCommand[] = Object.entries(scripts).map(([shell, script]) =>
  completion(shell, script),
);
