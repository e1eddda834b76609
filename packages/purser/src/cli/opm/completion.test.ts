import assert from "node:assert/strict";
import { test } from "node:test";
import { answerCompletion, type CompletionTree } from "./completion.ts";
import { findCommand } from "./find-command.ts";
import type { FlagSpec } from "./flags.ts";
import type { OpmCommandLine } from "./opm-command.ts";

const help: FlagSpec = { name: "help", short: "h", summary: "help of a command" };
const debug: FlagSpec = { name: "debug", summary: "logs more" };
const skip: FlagSpec = { name: "skip-tls", summary: "trusts any server" };
const line = (path: string, flags: readonly FlagSpec[], more: Partial<OpmCommandLine> = {}): OpmCommandLine => ({
  path,
  usage: "",
  summary: `runs ${path}\nand more`,
  words: [0, 1],
  flags,
  ...more,
});
const commandLines = [
  line("render", [
    { name: "output", short: "o", value: "string", summary: "the format" },
    { name: "migrate", summary: "migrates" },
    { name: "ref", type: "list", value: "strings", summary: "references" },
    { name: "secret", hidden: true, summary: "not shown" },
  ]),
  line("build", [
    { name: "tag", short: "t", value: "string", required: true, summary: "the tag" },
    { name: "base", short: "b", value: "string", summary: "the base image" },
    { name: "quiet", summary: "says less" },
  ]),
  line("validate", []),
  line("old", [], { deprecated: "gone soon" }),
  line("internal", [], { hidden: true }),
  line("group one", []),
  line("group two", []),
];
const tree: CompletionTree = {
  commandLines,
  everywhere: [help],
  onRoot: [skip, debug],
  find: (args) =>
    findCommand(args, [...commandLines.map(({ path }) => path), "help"], (path) => [
      ...(commandLines.find((one) => one.path === path)?.flags ?? []),
      help,
      skip,
    ]),
};
const none = ":0";
const noFiles = ":4";

/** The candidates without descriptions and the directive, after `opm WORDS`. */
function candidates(...words: readonly string[]): string {
  const { exit, stdout, stderr } = answerCompletion("__completeNoDesc", words, tree);
  assert.equal(exit, 0);
  const directive = stdout.trimEnd().endsWith(noFiles) ? "ShellCompDirectiveNoFileComp" : "ShellCompDirectiveDefault";
  assert.equal(stderr, `Completion ended with directive: ${directive}\n`);
  return stdout.trimEnd().split("\n").join(" ");
}

const tables: readonly (readonly [what: string, words: readonly string[], expected: string])[] = [
  [
    "commands and groups, sorted, without hidden and deprecated ones",
    [""],
    `build group help render validate ${noFiles}`,
  ],
  ["those that begin as typed", ["re"], `render ${noFiles}`],
  ["the members of a group", ["group", ""], `one two ${noFiles}`],
  ["the members of a group that begin as typed", ["group", "t"], `two ${noFiles}`],
  ["what help explains", ["help", "v"], `validate ${noFiles}`],
  ["the members of a group that help explains", ["help", "group", ""], `one two ${noFiles}`],
  ["files after a command", ["render", ""], none],
  ["files for the value of a flag", ["render", "--output", ""], none],
  ["files for the value of a short flag", ["render", "-o", ""], none],
  ["files for a value after =", ["render", "--output="], none],
  ["a required flag", ["build", ""], `--tag -t ${none}`],
  ["no required flag for the value of it", ["build", "--tag", ""], none],
  ["no required flag for the value of it by its letter", ["build", "-t", ""], none],
  ["no required flag after it was given", ["build", "--tag", "a", ""], none],
  ["no required flag after it was given with =", ["build", "--tag=a", ""], none],
  ["no required flag after it was given by its letter", ["build", "-ta", ""], none],
  ["no required flag for the value of another", ["build", "--base", ""], none],
  ["no required flag for the value of another by its letter", ["build", "-b", ""], none],
  ["a required flag after a switch", ["build", "--quiet", ""], `--tag -t ${none}`],
  ["required flags before others", ["build", "--"], `--tag ${noFiles}`],
  [
    "other flags when the required ones are given",
    ["build", "--tag=a", "--"],
    `--skip-tls --base --help --quiet ${noFiles}`,
  ],
  [
    "inherited flags first, each group sorted, with letters after one dash",
    ["render", "-"],
    `--skip-tls --help -h --migrate --output -o --ref ${noFiles}`,
  ],
  ["flags that begin as typed", ["render", "--m"], `--migrate ${noFiles}`],
  [
    "no flag twice, except lists",
    ["render", "--migrate", "--ref=a", "--"],
    `--skip-tls --help --output --ref ${noFiles}`,
  ],
  ["flags of the root in one order", ["--"], `--help --skip-tls ${noFiles}`],
];
for (const [what, words, expected] of tables)
  test(`completion after "opm ${words.join(" ")}" offers ${what}`, () => assert.equal(candidates(...words), expected));

test("completion with descriptions shows their first line", () => {
  const { stdout } = answerCompletion("__complete", ["ren"], tree);
  assert.equal(stdout, `render\truns render\n${noFiles}\n`);
});

test("completion of nothing is refused", () => {
  assert.deepEqual(answerCompletion("__complete", [], tree), {
    exit: 1,
    stdout: "",
    stderr: "Error: requires at least 1 arg(s), only received 0\nUsage:\n  opm __complete [command-line]\n\n",
  });
});
