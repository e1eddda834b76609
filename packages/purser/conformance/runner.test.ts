import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { compareExactly, compareLoosely, firstDifference } from "./compare.ts";
import { parseDifferences } from "./differences.ts";
import { runSuite } from "./run-suite.ts";
import type { GoldenCase, Suite } from "./suite.ts";
import { absent, answer } from "./suite.ts";
import type { JsonObject } from "@purser/kubernetes/json";

const directory = mkdtempSync(join(tmpdir(), "purser-conformance-"));
after(() => rmSync(directory, { recursive: true }));

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  const main = resolve(import.meta.dirname, "main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  return { status, out: stdout, err: stderr };
}

function goldenFile(name: string, ...lines: readonly string[]): string {
  const file = join(directory, name);
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

const right = `{"name":"a","input":{"dialect":"blang","range":">=1.0.0","versions":["1.0.0"]},"expect":{"in":[true]}}`;
const wrong = `{"name":"b","input":{"dialect":"blang","range":">=1.0.0","versions":["1.0.0"]},"expect":{"in":[false]}}`;

test("a file of right cases ends with the count and exit code 0", () => {
  const { status, out } = run("version-range", goldenFile("right.jsonl", right));
  assert.equal(out, "loose: 0\nby docs/differences.md: 0\n1 passed, 0 failed, 0 skipped\n");
  assert.equal(status, 0);
});

test("a wrong case shows its first difference and gives exit code 1", () => {
  const { status, out } = run("version-range", goldenFile("wrong.jsonl", right, wrong));
  assert.match(out, /^FAIL b \(line 2\) at \/in\/0\n {2}expected: false\n {2}actual: {3}true\n/);
  assert.match(out, /\n1 passed, 1 failed, 0 skipped\n$/);
  assert.equal(status, 1);
});

test("at most 20 failing cases are shown", () => {
  const lines = Array.from({ length: 25 }, (_, index) => wrong.replace('"b"', `"b${index}"`));
  const { out } = run("version-range", goldenFile("many.jsonl", ...lines));
  assert.equal(out.match(/^FAIL /gm)?.length, 20);
  assert.match(out, /\n0 passed, 25 failed, 0 skipped\n$/);
});

test("an unknown suite, an absent file, a broken line and an unknown option give exit code 2", () => {
  assert.match(run("no-such-suite").err, /unknown suite "no-such-suite"; known: /);
  assert.match(run("version-range", goldenFile("broken.jsonl", right, "{")).err, /broken\.jsonl:2: not a golden case/);
  for (const args of [
    ["no-such-suite"],
    ["version-range", join(directory, "absent.jsonl")],
    ["version-range", join(directory, "broken.jsonl")],
    ["version-range", "--no-such-option"],
    ["version-range", "--all"],
    [],
  ])
    assert.equal(run(...args).status, 2, args.join(" "));
});

test("--list names the suites, one a line", () => {
  const { status, out } = run("--list");
  assert.equal(status, 0);
  assert.ok(out.split("\n").includes("version-range"));
});

function goldenCase(expect: JsonObject, loose = false): GoldenCase {
  return { name: "case", input: {}, expect, loose, line: 1, text: "" };
}

test("another answer listed under alternatives or otherOrders is right", () => {
  const compare = compareExactly("message");
  const golden = goldenCase({
    message: "a",
    exit: 1,
    alternatives: ["b"],
    otherOrders: [{ ok: true }],
    unordered: true,
  });
  for (const right of [{ message: "a", exit: 1 }, { message: "b", exit: 1 }, { ok: true }])
    assert.equal(compare(golden, right), undefined);
  assert.deepEqual(compare(golden, { message: "c", exit: 1 })?.pointer, "/message");
  assert.ok(compare(golden, { message: "b", exit: 2 }) !== undefined);
});

test("where upstream crashed any answer but a crash is right", () => {
  assert.equal(compareExactly()(goldenCase({ panic: "nil" }), { error: "refused" }), undefined);
  assert.ok(compareExactly()(goldenCase({ panic: "nil" }), { panic: "nil" }) !== undefined);
});

test("a loose case may differ in its texts but not in what fails", () => {
  const compare = compareLoosely(compareExactly(), ["error"]);
  const golden = goldenCase({ items: [{ error: "inside of Go" }, { value: 1 }] }, true);
  assert.equal(compare(golden, { items: [{ error: "our words" }, { value: 1 }] }), undefined);
  assert.equal(compare(golden, { items: [{ value: 2 }, { value: 1 }] })?.pointer, "/items/0/error");
  assert.ok(compare({ ...golden, loose: false }, { items: [{ error: "our words" }, { value: 1 }] }) !== undefined);
});

test("a difference is found inside of lists and objects, missing and additional members included", () => {
  assert.equal(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })?.pointer, "/a/1/b");
  assert.equal(firstDifference({ a: [1] }, { a: [1, 2] })?.pointer, "/a/1");
  assert.equal(firstDifference({ a: 1 }, { a: 1, "b/c": 2 })?.pointer, "/b~1c");
  assert.equal(firstDifference({ a: null }, {})?.pointer, "/a");
  assert.equal(firstDifference({ a: 1, b: 2 }, { b: 2, a: 1 }), undefined);
});

test("a loose case counts as loose only when the looseness decided", async () => {
  const suite: Suite = {
    name: "sample",
    compare: compareLoosely(compareExactly(), ["error"]),
    run: () => answer({ error: "ours" }),
  };
  const cases = [
    goldenCase({ error: "ours" }, true),
    goldenCase({ error: "theirs" }, true),
    goldenCase({ error: "theirs" }),
    goldenCase({ other: "theirs" }, true),
  ];
  const tally = await runSuite(suite, cases, { data: { catalog: () => undefined, bundle: () => undefined } }, []);
  assert.deepEqual([tally.passed, tally.loose, tally.listed, tally.failures.length], [1, 1, 0, 2]);
});

test("a case counts once: a listed one or one of a listed rule as listed, an absent one as skipped, a throw as failed", async () => {
  const suite: Suite = {
    name: "sample",
    differences: { "ends with z": ({ name }) => name.endsWith("z") },
    run({ name }) {
      if (name === "throws") throw new Error("broken");
      return name === "absent" ? absent("a catalog") : answer({ got: name });
    },
  };
  const cases = ["x", "listed", "az", "absent", "throws"].map((name) => ({ ...goldenCase({ got: "x" }), name }));
  const listed = parseDifferences(
    "text\n\n| suite | case or rule | back to OLM | reason |\n| --- | --- | --- | --- |\n| sample | `listed` | none: x | why |\n| sample | rule: ends with z | none: x | a \\| b |\n",
  );
  assert.equal(listed[1]?.reason, "a | b");
  const tally = await runSuite(suite, cases, { data: { catalog: () => undefined, bundle: () => undefined } }, listed);
  assert.deepEqual(
    [tally.passed, tally.listed, tally.skipped, tally.failures.map(({ golden }) => golden.name)],
    [1, 2, 1, ["throws"]],
  );
});
