import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandSpec } from "./command.ts";
import { UsageError } from "./command.ts";
import { commands } from "./commands.ts";
import { completions } from "./commands/completion.ts";
import { helpTopics } from "./global-options.ts";
import type { Parsed } from "./program.ts";
import { parseArguments } from "./program.ts";

const parse = (...args: readonly string[]): Parsed => parseArguments("purser", commands, args);
const run = (...args: readonly string[]): Extract<Parsed, { kind: "run" }> => {
  const parsed = parse(...args);
  assert.equal(parsed.kind, "run");
  return parsed.kind === "run" ? parsed : assert.fail();
};
const helpText = (...args: readonly string[]): string => {
  const parsed = parse(...args);
  return parsed.kind === "help" ? parsed.text : assert.fail(`no help for ${args.join(" ")}`);
};

test("without arguments purser prints its help, which names every command", () => {
  const text = helpText();
  for (const { name, summary } of commands) assert.ok(text.includes(name) && text.includes(summary), name);
});

for (const command of commands) {
  test(`purser ${command.name} --help names its arguments, flags and examples, also as purser help ${command.name}`, () => {
    const text = helpText(command.name, "--help");
    assert.equal(helpText("help", command.name), text);
    for (const { flags } of command.options ?? []) assert.ok(text.includes(flags), flags);
    for (const { name } of command.arguments ?? []) assert.ok(text.includes(name), name);
    for (const [line] of command.examples ?? []) assert.ok(text.includes(line), line);
    assert.match(text, /--kubeconfig FILE/);
  });
  test(`every example of purser ${command.name} is a command line that purser reads`, () => {
    for (const [line] of command.examples ?? []) {
      const words = [...line.replace(/^source <\((.*)\)$/, "$1").matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, plain]) => quoted ?? plain ?? "",
      );
      assert.equal(words[0], "purser");
      assert.equal(run(...words.slice(1)).command.name, command.name);
    }
  });
}

for (const { name, text } of helpTopics) {
  test(`purser help ${name} prints the topic`, () => assert.equal(helpText("help", name), text));
}

const refused: readonly (readonly [args: readonly string[], message: RegExp, hint: RegExp])[] = [
  [["instal", "x"], /unknown command "instal"/, /did you mean "purser install"\?/],
  [["lst"], /unknown command "lst"/, /purser list/],
  [["frobnicate"], /unknown command "frobnicate"/, /purser --help/],
  [["__proto__"], /unknown command "__proto__"/, /purser --help/],
  [["constructor"], /unknown command "constructor"/, /purser --help/],
  [["help", "exitcodes"], /no help for "exitcodes"/, /exit-codes/],
  [["--bogus"], /no command given before "--bogus"/, /purser --help/],
  [["up", "--ephemral"], /unknown option "--ephemral"/, /--ephemeral/],
  [["list", "stray"], /too many arguments/, /purser list --help/],
  [["install"], /missing required argument "package"/, /purser install --help/],
  [["list", "-o", "xml"], /xml.*invalid/, /json/],
  [["install", "x", "--approval", "Never"], /Never.*invalid/, /Automatic/],
  [["up", "--port"], /argument missing/, /purser up --help/],
];
for (const [args, message, hint] of refused) {
  test(`purser ${args.join(" ")} is refused with the nearest correct form`, () => {
    assert.throws(
      () => parse(...args),
      (error) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(`${error.message}\n${error.hint}`, message);
        assert.match(`${error.message}\n${error.hint}`, hint);
        return true;
      },
    );
  });
}

test("flags are read before and after the command, with = and with a blank, and repeated where that is allowed", () => {
  const { options, command } = run("-n", "ns", "up", "--catalog", "a=/x", "--catalog=b=/y", "--no-wait");
  assert.equal(command.name, "up");
  assert.deepEqual(options, { namespace: "ns", catalog: ["a=/x", "b=/y"], wait: false, headers: true });
});

test("the value of a flag before the command is not taken for the command", () => {
  assert.equal(run("--kubeconfig", "up", "list").command.name, "list");
});

test("what follows -- is an argument even when it looks like a flag", () => {
  assert.deepEqual(run("status", "--", "--help").arguments, ["--help"]);
});

test("--version is purser version --client", () => {
  const { command, options } = run("--version");
  assert.equal(command.name, "version");
  assert.equal(options["client"], true);
});

const own: CommandSpec = {
  name: "own",
  group: "Other",
  summary: "a command of its own",
  options: [{ flags: "--output FILE", summary: "a file" }],
  run: () => Promise.resolve({ exitCode: 0 }),
};
test("a command's own flag wins over the global one of the same name", () => {
  const parsed = parseArguments("purser", [own], ["own", "--output", "x.tar"]);
  assert.equal(parsed.kind === "run" ? parsed.options["output"] : "", "x.tar");
});

test("completion offers commands first, then the command's flags, and the choices of a flag", () => {
  assert.ok(completions(commands, [""]).includes("install"));
  assert.ok(completions(commands, ["up", "--"]).includes("--ephemeral"));
  assert.deepEqual(completions(commands, ["install", "--approval", ""]), ["Automatic", "Manual"]);
});
