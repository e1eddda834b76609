import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommandSpec, UsageError } from "./command.ts";
import { parseCommand } from "./parse-command.ts";

const command: CommandSpec = {
  arguments: [
    { name: "from", summary: "first", required: true },
    { name: "more", summary: "others", variadic: true },
  ],
  options: [
    { flags: "--to VERSION", summary: "one value" },
    { flags: "--catalog [NAMESPACE/]NAME=PATH", summary: "several", repeatable: true },
    { flags: "-w, --watch", summary: "no value" },
    { flags: "--level LEVEL", summary: "one of two", choices: ["patch", "minor"] },
    { flags: "--no-cache", summary: "switches off what is on" },
    { flags: "--serve", summary: "switches on" },
    { flags: "--dry-run", summary: "shows only" },
    { flags: "--no-serve", summary: "switches off" },
  ],
  run: () => assert.fail("is only parsed"),
};
const defaults = { cache: true, wait: true, headers: true, pager: true };

const read: readonly (readonly [line: string, words: readonly string[], options: object])[] = [
  ["a", ["a"], {}],
  ["--to 1 a", ["a"], { to: "1" }],
  ["--to=1=2 a", ["a"], { to: "1=2" }],
  ["--to --watch a", ["a"], { to: "--watch" }],
  ["a --to 1 --to 2", ["a"], { to: "2" }],
  ["a --catalog x=1 b --catalog=y=2", ["a", "b"], { catalog: ["x=1", "y=2"] }],
  ["-n ns a", ["a"], { namespace: "ns" }],
  ["-nns a", ["a"], { namespace: "ns" }],
  ["-n=ns a", ["a"], { namespace: "ns" }],
  ["-wAn ns a", ["a"], { watch: true, "all-namespaces": true, namespace: "ns" }],
  ["-wnns a", ["a"], { watch: true, namespace: "ns" }],
  ["--no-cache --no-wait a", ["a"], { cache: false, wait: false }],
  ["--serve a", ["a"], { serve: true }],
  ["--no-serve a", ["a"], { serve: false }],
  ["--dry-run=server a", ["a"], { "dry-run": true }],
  ["--dry-run=client a", ["a"], { "dry-run": true }],
  ["-vv a", ["a"], { verbose: true, bodies: true }],
  ["-v a", ["a"], { verbose: true }],
  ["a - -- --to -w", ["a", "-", "--to", "-w"], {}],
  ["a -o jsonpath={.items}", ["a"], { output: "jsonpath={.items}" }],
];
for (const [line, words, options] of read) {
  test(`"${line}" is read as arguments ${words.join(", ")} and ${JSON.stringify(options)}`, () => {
    const parsed = parseCommand("purser x", command, line.split(" "));
    assert.deepEqual(parsed, { arguments: words, options: { ...defaults, ...options } });
  });
}

test("a flag stands in for an argument that is required without it", () => {
  const planned: CommandSpec = {
    ...command,
    arguments: [{ name: "from", summary: "first", required: true, unless: "to" }],
  };
  assert.deepEqual(parseCommand("purser x", planned, ["--to", "1"]).arguments, []);
  assert.throws(() => parseCommand("purser x", planned, ["--watch"]), UsageError);
});

const refused: readonly (readonly [line: string, message: string, hint: string])[] = [
  ["--wtch a", 'unknown option "--wtch"', "Did you mean --watch?"],
  ["--qqqqqq=1 a", 'unknown option "--qqqqqq=1"', "purser x --help"],
  ["-z a", 'unknown option "-z"', "purser x --help"],
  ["-wz a", 'unknown option "-z"', "purser x --help"],
  ["--dry-run=none a", 'unknown option "--dry-run=none"', "Did you mean --dry-run?"],
  ["--watch=yes a", 'unknown option "--watch=yes"', "Did you mean --watch?"],
  ["a --to", 'option "--to VERSION" argument missing', "purser x --help"],
  ["a -n", 'option "-n, --namespace NAMESPACE" argument missing', "purser x --help"],
  ["a --level major", 'option "--level LEVEL" argument "major" is invalid. Allowed: patch, minor.', "purser x --help"],
  [
    "a --level jsonpath={}",
    'option "--level LEVEL" argument "jsonpath={}" is invalid. Allowed: patch, minor.',
    "purser x --help",
  ],
  ["--watch", 'missing required argument "from"', "purser x --help"],
];
for (const [line, message, hint] of refused) {
  test(`"${line}" is refused: ${message}`, () => {
    assert.throws(
      () => parseCommand("purser x", command, line.split(" ")),
      (error) => error instanceof UsageError && error.message === message && error.hints[0] === hint,
    );
  });
}

test("arguments that a command does not have are named", () => {
  assert.throws(
    () => parseCommand("purser x", { run: command.run }, ["a", "b"]),
    new UsageError('too many arguments: "a", "b"', "purser x --help"),
  );
});

test("the flag of a command wins over the global one of its name, also without its choices", () => {
  const own: CommandSpec = { options: [{ flags: "--output FILE", summary: "a file" }], run: command.run };
  assert.equal(parseCommand("purser x", own, ["--output", "x.tar"]).options["output"], "x.tar");
  assert.throws(() => parseCommand("purser x", own, ["-o", "x.tar"]), /unknown option "-o"/);
});
