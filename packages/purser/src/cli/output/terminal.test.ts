import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../command.ts";
import { UsageError } from "../command.ts";
import { advised } from "../failure.ts";
import type { ParsedCommand } from "../program.ts";
import { holdingNotes, withoutNotes } from "./held-notes.ts";
import { printOutcome, printPaged, printUsageError } from "./print-outcome.ts";
import { shown } from "./shown.ts";
import { type Terminal, terminalModes } from "./terminal.ts";

const usual = { color: "auto", ascii: false, accessible: false, progress: "auto", wide: false, paged: false } as const;

test("the modes of a terminal are those of the flags, else of the environment", () => {
  const cases: readonly (readonly [
    flags: Readonly<Record<string, unknown>>,
    env: Readonly<Record<string, string>>,
    differing: object,
  ])[] = [
    [{}, {}, {}],
    [{ color: "always" }, { PURSER_COLOR: "never" }, { color: "always" }],
    [{}, { PURSER_COLOR: "never" }, { color: "never" }],
    [{}, { PURSER_COLOR: "auto" }, {}],
    [{ color: "x" }, { PURSER_COLOR: "y" }, {}],
    [{ color: "auto" }, { PURSER_COLOR: "always" }, {}],
    [{ ascii: true }, {}, { ascii: true }],
    [{ ascii: "true" }, {}, {}],
    [{ accessible: true }, {}, { accessible: true }],
    [{}, { PURSER_ACCESSIBLE: "1" }, { accessible: true }],
    [{}, { PURSER_ACCESSIBLE: "0" }, {}],
    [{}, { PURSER_ACCESSIBLE: "" }, {}],
    [{ quiet: true }, {}, { progress: "none" }],
    [{ progress: "none" }, {}, { progress: "none" }],
    [{ progress: "auto" }, {}, {}],
    [{ progress: "plain" }, {}, { progress: "plain" }],
    [{ progress: "x" }, {}, {}],
    [{ output: "wide" }, {}, { wide: true }],
    [{ output: "json" }, {}, {}],
    [{ pager: true }, {}, { paged: true }],
    [{ pager: false }, {}, {}],
  ];
  for (const [flags, env, differing] of cases) assert.deepEqual(terminalModes(flags, env), { ...usual, ...differing });
});

/** A terminal that notes what is written, and where. */
function noting(): { readonly terminal: Terminal; readonly notes: string[] } {
  const notes: string[] = [];
  const terminal: Terminal = {
    isInteractive: false,
    env: {},
    out: (...lines) => void notes.push(...lines.map((line) => `out ${line}`)),
    show: (text) => void notes.push(`show ${text}`),
    page: async (text) => void notes.push(`page ${text}`),
    write: (text, to = "out") => void notes.push(`write ${to} ${text}`),
    err: (...lines) => void notes.push(...lines.map((line) => `err ${line}`)),
    progress: (text) => void notes.push(`progress ${text}`),
    paint: (meaning, text) => `<${meaning} ${text}>`,
    symbol: (name) => name,
    ask: async (question) => {
      notes.push(`ask ${question}`);
      return "answer";
    },
  };
  return { terminal, notes };
}

test("a wrong usage is a line with its hints below, or one document on stderr", () => {
  const { terminal, notes } = noting();
  assert.equal(printUsageError(terminal, new UsageError("wrong", "try this", "or this"), undefined), 2);
  assert.equal(printUsageError(terminal, new UsageError("wrong"), "wide"), 2);
  assert.deepEqual(notes.splice(0), [
    "err <bad failed> wrong",
    "err   try this",
    "err   or this",
    "err <bad failed> wrong",
  ]);
  assert.equal(printUsageError(terminal, new UsageError("wrong", "try this"), "json"), 2);
  const document = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "Explanation",
    code: "UsageError",
    summary: "wrong",
    facts: {},
    derivation: [],
    remedies: [{ summary: "try this" }],
  };
  assert.deepEqual(notes.splice(0), [`write err ${JSON.stringify(document, undefined, 2)}\n`]);
  printUsageError(terminal, new UsageError("wrong", "try this"), "yaml");
  assert.match(notes.join(), /^write err apiVersion: purser\.dev\/v1alpha1\ncode: UsageError\n/);
});

const parsedWith = (options: ParsedCommand["options"]): ParsedCommand => ({ options }) as unknown as ParsedCommand;
const asText = (document: unknown): string => `document ${JSON.stringify(document)}`;

const both: Outcome = { exitCode: 0, data: { a: 1 }, human: shown("words") };
const refused: Outcome = { explanation: advised("NotFound", "it is missing", "look again") };

test("an outcome is printed as words or as a document, and its explanation on stderr", () => {
  const printed = (outcome: Outcome, options: ParsedCommand["options"] = {}): readonly [number, readonly string[]] => {
    const { terminal, notes } = noting();
    return [printOutcome(terminal, parsedWith(options), outcome, asText), notes];
  };
  assert.deepEqual(printed(both), [0, ["show words"]]);
  assert.deepEqual(printed(both, { output: "wide" }), [0, ["show words"]]);
  assert.deepEqual(printed(both, { output: "json" }), [0, ['write out document {"a":1}']]);
  assert.deepEqual(printed({ ...both, verbatim: "as it is" }, { output: "json" }), [0, ["write out as it is"]]);
  assert.deepEqual(printed({ exitCode: 1, human: shown("") }), [1, []]);
  assert.deepEqual(printed({ exitCode: 1 }, { output: "json" }), [1, []]);
  const [code, lines] = printed(refused);
  assert.equal(code, 6);
  assert.ok(lines.every((line) => line.startsWith("err ")) && lines.join().includes("it is missing"));
  const [, [document = ""]] = printed(refused, { output: "json" });
  assert.match(
    document,
    /^write err \{\n {2}"apiVersion": "purser\.dev\/v1alpha1",\n {2}"kind": "Explanation",\n {2}"code": "NotFound"/,
  );
});

test("words alone go through the pager, where there is one", async () => {
  const paged = async (outcome: Outcome, options: ParsedCommand["options"] = {}, hasPager = true): Promise<unknown> => {
    const { terminal, notes } = noting();
    const others = Object.entries(terminal).filter(([name]) => name !== "page");
    const pagerless = Object.fromEntries(others) as unknown as Terminal;
    const code = await printPaged(hasPager ? terminal : pagerless, parsedWith(options), outcome, asText);
    return [code, ...notes.map((note) => note.split(" ")[0])];
  };
  assert.deepEqual(await paged(both), [0, "page"]);
  assert.deepEqual(await paged(both, {}, false), [0, "show"]);
  assert.deepEqual(await paged(both, { output: "json" }), [0, "write"]);
  assert.deepEqual(await paged({ ...both, verbatim: "x" }), [0, "write"]);
  assert.deepEqual(await paged({ exitCode: 1, human: shown("") }), [1]);
});

test("notes wait for a question or a release, and progress is not shown", async () => {
  const { terminal, notes } = noting();
  const held = holdingNotes(terminal);
  held.terminal.err("one", "two");
  held.terminal.progress("half");
  held.terminal.out("result");
  assert.deepEqual(notes.splice(0), ["out result"]);
  assert.equal(await held.terminal.ask("sure?"), "answer");
  assert.deepEqual(notes.splice(0), ["err one", "err two", "ask sure?"]);
  held.release();
  held.terminal.err("three");
  held.release();
  held.release();
  assert.deepEqual(notes.splice(0), ["err three"]);
  const silent = withoutNotes({ arguments: ["a"], options: {}, terminal, signal: new AbortController().signal });
  silent.terminal.err("lost");
  silent.terminal.out("kept");
  assert.deepEqual(notes, ["out kept"]);
  assert.deepEqual(silent.arguments, ["a"]);
});
