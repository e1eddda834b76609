import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { CommandFamily, CommandSpec, LazyCommand, RootCommand, Subcommand, SubcommandSpec } from "./command.ts";
import { UsageError, isFamily, loaded } from "./command.ts";
import { commands } from "./commands.ts";
import { completions } from "./commands/completion.ts";
import { helpTopics } from "./global-options.ts";
import type { Parsed } from "./program.ts";
import { parseArguments } from "./program.ts";
import { assertScreens } from "./testing/screens.ts";

const parse = (...args: readonly string[]): Promise<Parsed> => parseArguments("purser", commands, args);
const run = async (...args: readonly string[]): Promise<Extract<Parsed, { kind: "run" }>> => {
  const parsed = await parse(...args);
  assert.equal(parsed.kind, "run");
  return parsed.kind === "run" ? parsed : assert.fail();
};
const helpText = async (...args: readonly string[]): Promise<string> => {
  const parsed = await parse(...args);
  return parsed.kind === "help" ? parsed.text : assert.fail(`no help for ${args.join(" ")}`);
};

test("without arguments purser prints its help, which names every command", async () => {
  const text = await helpText();
  for (const { name, summary } of commands) assert.ok(text.includes(name) && text.includes(summary), name);
});

type Leaf = readonly [words: readonly string[], command: CommandSpec];
async function leavesOf(
  members: readonly (Subcommand | LazyCommand)[],
  words: readonly string[],
): Promise<readonly Leaf[]> {
  const each = members.map(async (member): Promise<readonly Leaf[]> => {
    const command = await loaded(member);
    const path = [...words, member.name];
    if (!isFamily(command)) return [[path, command]];
    const alone: readonly Leaf[] = command.alone === undefined ? [] : [[path, command.alone]];
    return [...alone, ...(await leavesOf(command.members, path))];
  });
  return (await Promise.all(each)).flat();
}

for (const [words, command] of await leavesOf(commands, [])) {
  const name = words.join(" ");
  test(`purser ${name} --help names its arguments, flags and examples, also as purser help ${name}`, async () => {
    const text = await helpText(...words, "--help");
    assert.equal(await helpText("help", ...words), text);
    for (const { flags } of command.options ?? []) assert.ok(text.includes(flags), flags);
    for (const { name } of command.arguments ?? []) assert.ok(text.includes(name), name);
    for (const [line] of command.examples ?? []) assert.ok(text.includes(line), line);
    assert.match(text, /--color MODE/);
    // Catalogs, bundles and settings are files.
    assert.equal(/--kubeconfig FILE/.test(text), !["catalog", "bundle", "config"].includes(words[0] ?? ""));
  });
  test(`purser ${name} has examples, and each is a command line that purser reads`, async () => {
    assert.ok((command.examples ?? []).length > 0);
    for (const [line] of command.examples ?? []) {
      const typed = [...line.replace(/^source <\((.*)\)$/, "$1").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
        ([, single, double, plain]) => single ?? double ?? plain ?? "",
      );
      assert.equal(typed[0], "purser");
      assert.equal((await run(...typed.slice(1))).name, name);
    }
  });
}

async function helpLinesOf(
  members: readonly (Subcommand | LazyCommand)[],
  words: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const each = members.map(async (member) => {
    const command = await loaded(member);
    const path = [...words, member.name];
    return isFamily(command) ? [path, ...(await helpLinesOf(command.members, path))] : [path];
  });
  return (await Promise.all(each)).flat();
}

// PURSER_SCREENS=write writes the file anew.
test("help prints what testing/help-screens.txt holds", async () => {
  const topics = helpTopics.map(({ name }) => [name]);
  const printed = await Promise.all(
    [[], ...topics, ...(await helpLinesOf(commands, []))].map(async (words) => {
      const text = await helpText("help", ...words);
      return `$ purser help ${words.join(" ")}\n${text}`.trimEnd();
    }),
  );
  // The global flags follow from the first command that has all of them, and from the first on files.
  const seen = new Set<string>();
  const screens = printed.map((screen) =>
    screen.replace(/\n\nGlobal flags\n[^]*?(?=\n\n|$)/, (section) => {
      const isKnown = seen.has(section);
      seen.add(section);
      return isKnown ? "" : section;
    }),
  );
  assertScreens(join(import.meta.dirname, "testing/help-screens.txt"), screens);
});

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
  test(`purser ${args.join(" ")} is refused with the nearest correct form`, async () => {
    await assert.rejects(
      () => parse(...args),
      (error) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(`${error.message}\n${error.hints[0]}`, message);
        assert.match(`${error.message}\n${error.hints[0]}`, hint);
        return true;
      },
    );
  });
}

test("flags are read before and after the command, with = and with a blank, and repeated where that is allowed", async () => {
  const { options, name } = await run("-n", "ns", "up", "--catalog", "a=/x", "--catalog=b=/y", "--no-wait");
  assert.equal(name, "up");
  assert.deepEqual(options, { namespace: "ns", catalog: ["a=/x", "b=/y"], wait: false, headers: true, pager: true });
});

test("the value of a flag before the command is not taken for the command", async () => {
  assert.equal((await run("--kubeconfig", "up", "list")).name, "list");
});

test("what follows -- is an argument even when it looks like a flag", async () => {
  assert.deepEqual((await run("status", "--", "--help")).arguments, ["--help"]);
});

test("--version is purser version --client", async () => {
  const { name, options } = await run("--version");
  assert.equal(name, "version");
  assert.equal(options["client"], true);
});

const own: RootCommand = {
  name: "own",
  group: "Other",
  summary: "a command of its own",
  load: async () => ({
    options: [{ flags: "--output FILE", summary: "a file" }],
    run: () => Promise.resolve({ exitCode: 0 }),
  }),
};
test("a command's own flag wins over the global one of the same name", async () => {
  const parsed = await parseArguments("purser", [own], ["own", "--output", "x.tar"]);
  assert.equal(parsed.kind === "run" ? parsed.options["output"] : "", "x.tar");
});

test("completion offers commands first, then the command's flags, and the choices of a flag", async () => {
  assert.ok((await completions(commands, [""])).includes("install"));
  assert.ok((await completions(commands, ["up", "--"])).includes("--ephemeral"));
  assert.deepEqual(await completions(commands, ["install", "--approval", ""]), ["Automatic", "Manual"]);
});

test("a shell gets its completion script, and one without a script is refused", async () => {
  const scriptFor = async (shell: string): Promise<string> => {
    const { command, ...given } = await run("completion", shell);
    const outcome = await command.run({ ...given, terminal: undefined as never, signal: new AbortController().signal });
    return "verbatim" in outcome ? String(outcome.verbatim) : assert.fail();
  };
  assert.match(await scriptFor("bash"), /\ncomplete -o default -F _purser purser\n$/);
  assert.match(await scriptFor("fish"), /^complete -c purser /);
  for (const shell of ["tcsh", "toString"])
    await assert.rejects(async () => scriptFor(shell), {
      message: `there is no completion for "${shell}"`,
      hints: ["shells: bash, zsh, fish, powershell"],
    });
});

test("completion leaves arguments and free values to the shell's files", async () => {
  assert.deepEqual(await completions([own, family], ["catalog", "validate", ""]), []);
  assert.deepEqual(await completions([own, family], ["own", "--output", ""]), []);
  assert.ok((await completions([own, family], ["own", ""])).includes("--output"));
});

const leaf = (name: string): SubcommandSpec => ({
  name,
  summary: `does ${name}`,
  arguments: [{ name: "reference", summary: "what to work on" }],
  options: [
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["json", "sarif"] },
    { flags: "--strict", summary: "warnings count" },
  ],
  run: () => Promise.resolve({ exitCode: 0 }),
});
const members: CommandFamily["members"] = [
  leaf("validate"),
  { name: "template", summary: "a family within", load: async () => ({ members: [leaf("expand")] }) },
];
const familyWith = (body: CommandFamily): RootCommand => ({
  name: "catalog",
  group: "Author",
  summary: "a family",
  load: async () => body,
});
const family = familyWith({ members });
const inFamily = (...args: readonly string[]): Promise<Parsed> => parseArguments("purser", [own, family], args);

const familyLines: readonly (readonly [line: string, name: string, args: readonly string[]])[] = [
  ["catalog validate x", "catalog validate", ["x"]],
  ["-n ns catalog --kubeconfig validate validate x", "catalog validate", ["x"]],
  ["catalog -o sarif validate x --strict", "catalog validate", ["x"]],
  ["catalog template expand x", "catalog template expand", ["x"]],
  ["catalog validate -- --help", "catalog validate", ["--help"]],
];
for (const [line, name, args] of familyLines) {
  test(`purser ${line} runs purser ${name}`, async () => {
    const parsed = await inFamily(...line.split(" "));
    assert.ok(parsed.kind === "run");
    assert.equal(parsed.name, name);
    assert.deepEqual(parsed.arguments, args);
  });
}

test("a family alone, with --help or behind help prints its commands", async () => {
  const expected = [
    "a family",
    "",
    "Usage: purser catalog <command> [arguments] [flags]",
    "",
    "Commands",
    "  validate  does validate",
    "  template  a family within",
    "",
    "Details: purser catalog <command> --help",
  ].join("\n");
  for (const words of [["catalog"], ["catalog", "--help"], ["help", "catalog"]])
    assert.deepEqual(await inFamily(...words), { kind: "help", text: expected });
});

test("a family with an action of its own runs it without the name of a member, also with values of its flags", async () => {
  const { run } = leaf("catalog");
  const alone = familyWith({ members, alone: { options: [{ flags: "--apis FAMILIES", summary: "which" }], run } });
  const parsed = await parseArguments("purser", [alone], ["catalog", "--apis", "v1", "-o", "json"]);
  assert.ok(parsed.kind === "run");
  assert.deepEqual([parsed.name, parsed.options["apis"], parsed.options["output"]], ["catalog", "v1", "json"]);
  const member = await parseArguments("purser", [alone], ["catalog", "validate", "x"]);
  assert.ok(member.kind === "run");
  assert.equal(member.name, "catalog validate");
  await assert.rejects(parseArguments("purser", [alone], ["catalog", "v1"]), /unknown command "catalog v1"/);
  const help = await parseArguments("purser", [alone], ["catalog", "--help"]);
  assert.ok(help.kind === "help");
  assert.match(help.text, /^a family\n\nUsage: purser catalog \[flags\]\n\nFlags\n  --apis FAMILIES  which\n/);
  assert.match(help.text, /\n\nCommands\n  validate  does validate\n/);
});

test("the help of a member names the whole command line", async () => {
  const help = await inFamily("catalog", "template", "expand", "--help");
  assert.ok(help.kind === "help");
  assert.match(help.text, /^Usage: purser catalog template expand \[reference\] \[flags\]$/m);
  assert.deepEqual(await inFamily("help", "catalog", "template", "expand"), help);
});

const refusedInFamily: readonly (readonly [line: string, message: string, hint: string])[] = [
  ["catalog valdate x", 'unknown command "catalog valdate"', 'did you mean "purser catalog validate"?'],
  ["validate x", 'unknown command "validate"', 'did you mean "purser catalog validate"?'],
  ["expand x", 'unknown command "expand"', 'did you mean "purser catalog template expand"?'],
  ["catalog zzzzzz", 'unknown command "catalog zzzzzz"', "purser catalog --help"],
  ["catalog __proto__", 'unknown command "catalog __proto__"', "purser catalog --help"],
  [
    "catalog template expnd",
    'unknown command "catalog template expnd"',
    'did you mean "purser catalog template expand"?',
  ],
  ["catalog --strict", 'no command given before "--strict"', "purser catalog --help"],
  ["catalog validate --strct", 'unknown option "--strct"', "Did you mean --strict?"],
  ["help catalog nothing", 'no help for "catalog nothing"', "purser catalog --help"],
];
for (const [line, message, hint] of refusedInFamily) {
  test(`purser ${line} is refused: ${message}`, async () => {
    await assert.rejects(
      () => inFamily(...line.split(" ")),
      (error) => error instanceof UsageError && error.message === message && error.hints[0] === hint,
    );
  });
}

test("completion lists the commands of a family", async () => {
  assert.deepEqual(await completions([own, family], ["catalog", ""]), ["validate", "template"]);
  assert.deepEqual(await completions([own, family], ["catalog", "template", "ex"]), ["expand"]);
  assert.ok((await completions([own, family], ["catalog", "validate", "--"])).includes("--strict"));
  assert.deepEqual(await completions([own, family], ["catalog", "validate", "-o", ""]), ["json", "sarif"]);
});

test("the help of commands on files leaves out the flags of clusters, and they are taken all the same", async () => {
  const help = await parse("catalog", "template", "expand", "--help");
  assert.ok(help.kind === "help");
  assert.doesNotMatch(help.text, /--kubeconfig|--namespace|--no-wait/);
  assert.match(help.text, /--ascii/);
  assert.deepEqual(await parse("help", "catalog", "template", "expand"), help);
  assert.equal((await parse("catalog", "init", "--kubeconfig", "x", "-n", "ns", "p")).kind, "run");
});

test("a command of two families is suggested with both", async () => {
  await assert.rejects(
    () => parse("validate", "x"),
    (error) =>
      error instanceof UsageError &&
      error.hints[0] === 'did you mean "purser catalog validate" or "purser bundle validate"?',
  );
});
