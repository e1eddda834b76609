// What is written to a terminal, to a pipe, and in the modes of terminals, on streams that note it.
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { shown } from "./shown.ts";
import { systemTerminal, type Terminal, terminalModes, type TerminalStreams } from "./terminal.ts";

interface World {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Columns of the terminal; absent: a pipe. */
  readonly columns?: number;
  readonly stderrIsPipe?: true;
  readonly stdinIsPipe?: true;
}

const utf8 = { LANG: "C.UTF-8" };

function terminalOf({ flags = {}, env = utf8, columns, stderrIsPipe, stdinIsPipe }: World) {
  const notes: string[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: columns !== undefined && stdinIsPipe !== true });
  const stream = (name: string, isTTY: boolean) =>
    Object.assign(new PassThrough(), {
      isTTY,
      columns,
      rows: 3,
      write: (text: string) => notes.push(`${name}${text}`) > 0,
    });
  const streams = {
    env,
    stdin,
    stdout: stream("", columns !== undefined),
    stderr: stream("err:", columns !== undefined && stderrIsPipe !== true),
  } as unknown as TerminalStreams;
  return { terminal: systemTerminal(terminalModes(flags, env), streams), notes, stdin };
}

const red = "\u001b[31mx\u001b[39m";
const colours: readonly (readonly [what: string, world: World, isColoured: boolean])[] = [
  ["a terminal", { columns: 80 }, true],
  ["a pipe", {}, false],
  ["a terminal whose stderr goes to a file", { columns: 80, stderrIsPipe: true }, false],
  ["a terminal that is dumb", { columns: 80, env: { ...utf8, TERM: "dumb" } }, false],
  ["a terminal with NO_COLOR", { columns: 80, env: { ...utf8, NO_COLOR: "1" } }, false],
  ["a terminal with an empty NO_COLOR", { columns: 80, env: { ...utf8, NO_COLOR: "" } }, true],
  ["a pipe with CLICOLOR_FORCE=1", { env: { ...utf8, CLICOLOR_FORCE: "1" } }, true],
  ["a pipe with CLICOLOR_FORCE=0", { env: { ...utf8, CLICOLOR_FORCE: "0" } }, false],
  ["a pipe with NO_COLOR and CLICOLOR_FORCE", { env: { ...utf8, NO_COLOR: "1", CLICOLOR_FORCE: "1" } }, false],
  ["a pipe with --color always", { flags: { color: "always" } }, true],
  [
    "a terminal with --color always and NO_COLOR",
    { flags: { color: "always" }, env: { ...utf8, NO_COLOR: "1" } },
    true,
  ],
  ["a terminal with --color never", { columns: 80, flags: { color: "never" } }, false],
  ["a reader who hears it", { columns: 80, flags: { color: "always", accessible: true } }, false],
];
for (const [what, world, isColoured] of colours)
  test(`${what} shows ${isColoured ? "colours" : "no colours"}`, () => {
    const { terminal, notes } = terminalOf(world);
    terminal.out(terminal.paint("bad", "x"));
    assert.deepEqual(notes, [`${isColoured ? red : "x"}\n`]);
  });

const names = ["ok", "failed", "attention", "waiting", "update"] as const;
const unicode = ["✓", "✗", "!", "⏸", "↑"];
const ascii = ["ok", "FAIL", "!", "||", "^"];
const symbols: readonly (readonly [what: string, world: World, symbols: readonly string[], tree: string])[] = [
  ["LANG is UTF-8", {}, unicode, "├─ a…"],
  ["LC_ALL is utf8", { env: { LC_ALL: "de_DE.utf8", LANG: "C" } }, unicode, "├─ a…"],
  ["LC_ALL is C", { env: { LC_ALL: "C", LC_CTYPE: "C.UTF-8", LANG: "C.UTF-8" } }, ascii, "|- a~"],
  ["LC_CTYPE is UTF-8", { env: { LC_CTYPE: "C.UTF-8", LANG: "C" } }, unicode, "├─ a…"],
  ["no locale is set", { env: {} }, ascii, "|- a~"],
  ["--ascii is given", { flags: { ascii: true } }, ascii, "|- a~"],
  ["it is heard", { flags: { accessible: true } }, ["done:", "failed:", "warning:", "waiting:", "update:"], "  a…"],
];
for (const [what, world, expected, tree] of symbols)
  test(`symbols and trees when ${what}: ${expected.join(" ")}`, () => {
    const { terminal, notes } = terminalOf(world);
    assert.deepEqual(
      names.map((name) => terminal.symbol(name)),
      expected,
    );
    terminal.show(shown("├─ a…"));
    assert.deepEqual(notes, [`${tree}\n`]);
  });

test("lines are folded on a terminal, not in a pipe, with -o wide or without a width", () => {
  const printed = (world: World): readonly string[] => {
    const { terminal, notes } = terminalOf(world);
    terminal.out("one two three");
    return notes;
  };
  assert.deepEqual(printed({ columns: 8 }), ["one two\nthree\n"]);
  for (const world of [{}, { columns: 8, flags: { output: "wide" } }, { columns: 0 }])
    assert.deepEqual(printed(world), ["one two three\n"]);
});

test("the width is that of the terminal of the result, and questions need a terminal at both ends", () => {
  assert.equal(terminalOf({ columns: 80 }).terminal.width, 80);
  assert.equal("width" in terminalOf({}).terminal, false);
  const interactive = (world: World): boolean => terminalOf(world).terminal.isInteractive;
  assert.deepEqual(
    [{ columns: 80 }, {}, { columns: 80, stdinIsPipe: true }, { columns: 80, stderrIsPipe: true }].map((one) =>
      interactive(one as World),
    ),
    [true, false, false, false],
  );
});

test("data is written as it is to a pipe, and its control characters are escaped on a terminal", () => {
  const pipe = terminalOf({});
  pipe.terminal.write("a\u001b[0m\n");
  pipe.terminal.write("b\u001b", "err");
  assert.deepEqual(pipe.notes, ["a\u001b[0m\n", "err:b\u001b"]);
  const { terminal, notes } = terminalOf({ columns: 80, stderrIsPipe: true });
  terminal.write("a\u001b[0m\n");
  terminal.write("b\u001b", "err");
  assert.deepEqual(notes, ["a\\u001b[0m\n", "err:b\u001b"]);
});

test("progress is one line that is redrawn and cut to the width, on terminals that can", () => {
  const { terminal, notes } = terminalOf({ columns: 6 });
  terminal.progress("pulling\u001b");
  terminal.progress("");
  assert.deepEqual(notes, ["err:\r\u001b[2Kpulli", "err:\r\u001b[2K"]);
  const quiet: readonly World[] = [
    { columns: 6, env: { ...utf8, TERM: "dumb" } },
    { columns: 6, flags: { accessible: true } },
    { columns: 6, stderrIsPipe: true },
    { columns: 6, flags: { quiet: true } },
  ];
  for (const world of quiet) {
    const other = terminalOf(world);
    other.terminal.progress("pulling");
    assert.deepEqual(other.notes, []);
  }
  const unsized = terminalOf({ columns: 0 });
  unsized.terminal.progress("x".repeat(100));
  assert.deepEqual(unsized.notes, [`err:\r\u001b[2K${"x".repeat(79)}`]);
});

test("a text that no pager shows is written whole", async () => {
  const long = shown("1", "2", "3", "4");
  const failing = { ...utf8, PAGER: "/nonexistent/pager" };
  const worlds: readonly World[] = [
    { columns: 80 },
    { flags: { pager: true }, env: failing },
    { columns: 80, flags: { pager: true }, env: failing },
    { columns: 80, flags: { pager: true, accessible: true }, env: failing },
  ];
  for (const world of worlds) {
    const { terminal, notes } = terminalOf(world);
    await terminal.page?.(long);
    assert.deepEqual(
      notes.filter((note) => !note.startsWith("err:")),
      ["1\n2\n3\n4\n"],
    );
  }
});

async function asked(
  world: World,
  typed: string,
  options?: Parameters<Terminal["ask"]>[1],
  ends: boolean = typed === "",
) {
  const { terminal, notes, stdin } = terminalOf(world);
  const answer = terminal.ask("Continue?\u001b ", options);
  if (ends) stdin.end(typed);
  else stdin.write(typed);
  return { answer: await answer, notes: notes.join("") };
}

test("a question is shown and answered with the line that is typed", async () => {
  const { answer, notes } = await asked({ columns: 80, stderrIsPipe: true }, "yes\nmore\n");
  assert.equal(answer, "yes");
  assert.equal(notes, "err:Continue?\\u001b ");
});

test("a secret answer is not echoed", async () => {
  const { answer, notes } = await asked({ columns: 80, stderrIsPipe: true }, "pass\n", { isSecret: true });
  assert.equal(answer, "pass");
  assert.equal(notes, "err:Continue?\\u001b err:\n");
});

test("a line that ends with the input is an answer, also without a line break", async () => {
  for (const typed of ["yes\n", "yes"])
    for (const stderrIsPipe of [{}, { stderrIsPipe: true } as const])
      for (const isSecret of [false, true])
        assert.equal((await asked({ columns: 80, ...stderrIsPipe }, typed, { isSecret }, true)).answer, "yes");
});

test("a question without an answer gives undefined: the input ends, or there is nobody to ask", async () => {
  assert.equal((await asked({ columns: 80, stderrIsPipe: true }, "")).answer, undefined);
  const unasked = terminalOf({});
  assert.equal(await unasked.terminal.ask("Continue?"), undefined);
  assert.deepEqual(unasked.notes, []);
});
