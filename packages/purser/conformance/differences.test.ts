import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { parseCompat } from "../src/compat.ts";
import { readDifferences } from "./differences.ts";

const sources = resolve(import.meta.dirname, "../src");
const switchOf = (back: string): string | undefined => /^--compat=([a-z-]+)$/.exec(back)?.[1];

/** Every switch of `--compat`, as the command line names them to who misspells one. */
function switches(): readonly string[] {
  const refused = parseCompat("no-such-switch");
  assert.ok(!refused.ok);
  return (/known: strict, (.*)$/.exec(refused.problem)?.[1] ?? "").split(", ");
}

/** The switches that nothing in the product asks for yet. */
const withoutEffect: readonly string[] = [];

test("every row of docs/differences.md names a switch of --compat or says why there is none", () => {
  const rows = readDifferences();
  assert.ok(rows.length > 20, "the table was not read");
  const wrong = rows.filter(({ back }) => {
    const name = switchOf(back);
    return name === undefined ? !/^none: \S.{5,}/.test(back) : !switches().includes(name);
  });
  assert.deepEqual(
    wrong.map(({ subject, back }) => `${subject}: ${back}`),
    [],
  );
});

test("every switch of --compat has a row in docs/differences.md", () => {
  const named = new Set(readDifferences().flatMap(({ back }) => switchOf(back) ?? []));
  assert.deepEqual([...named].toSorted(), switches().toSorted());
});

test("every switch of --compat is asked for, and a test with and one without it says what each side does", () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const read = (name: string): string => readFileSync(join(sources, name), "utf8");
  const product = files.filter((name) => !name.endsWith(".test.ts")).map(read);
  const tests = files.filter((name) => name.endsWith(".test.ts")).map(read);
  const says = (words: string, name: string): boolean =>
    tests.some((text) => new RegExp(`["'\`]${words} --compat=${name} \\S`).test(text));
  for (const name of switches()) {
    const isAsked = product.some((text) => text.includes(`keepsUpstream("${name}")`));
    assert.equal(isAsked, !withoutEffect.includes(name), `${name} is ${isAsked ? "" : "not "}asked for`);
    if (!isAsked) continue;
    assert.ok(says("with", name), `no test begins with: with --compat=${name}`);
    assert.ok(says("without", name), `no test begins with: without --compat=${name}`);
  }
});

test("--compat=strict is every switch, and an unknown one is refused with the known ones", () => {
  const strict = parseCompat("strict");
  assert.ok(strict.ok);
  for (const name of switches()) assert.ok(strict.value.keepsUpstream(name as "reserved-groups"), name);
  const none = parseCompat("");
  assert.ok(none.ok);
  for (const name of switches()) assert.ok(!none.value.keepsUpstream(name as "reserved-groups"), name);
});
