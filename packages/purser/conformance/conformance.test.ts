import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { readDifferences } from "./differences.ts";
import { readGolden } from "./golden-file.ts";
import { reportLines } from "./report.ts";
import { dataDirectory, isDataPresent, withoutData } from "./real-data.ts";
import { dataIn, runSuite } from "./run-suite.ts";
import { suites } from "./suites.ts";

const root = resolve(import.meta.dirname, "..");

for (const [name, load] of Object.entries(suites)) {
  const file = resolve(root, "conformance/golden", `${name}.jsonl`);
  test(`the suite ${name} gives upstream's answers on every golden case`, async (context) => {
    const cases = readGolden(file);
    assert.ok(cases.ok, cases.ok ? "" : cases.problem);
    const { suite } = await load();
    assert.equal(suite.name, name);
    const tally = await runSuite(suite, cases.value, { data: dataIn(dataDirectory) }, readDifferences());
    assert.equal(tally.failures.length, 0, `\n${reportLines(tally).join("\n")}`);
    assert.ok(tally.passed > 0, "no case ran");
    if (isDataPresent) assert.equal(tally.skipped, 0, "cases were skipped though the data is there");
    for (let count = 0; count < tally.skipped; count++)
      await context.test(`a golden case of ${name}`, { skip: withoutData });
  });
}

test("every suite has its golden file, and every golden file its suite", () => {
  const files = readdirSync(resolve(root, "conformance/golden")).map((file) => file.replace(/\.jsonl$/, ""));
  assert.deepEqual(files.toSorted(), Object.keys(suites).toSorted());
});

test("every row of docs/differences.md names a registered suite and a case or rule of it", async () => {
  for (const { suite: name, subject, reason } of readDifferences()) {
    assert.notEqual(reason, "", `${name} ${subject} has no reason`);
    if (name === "-") continue;
    const load = suites[name];
    assert.ok(load !== undefined, `no suite ${name}`);
    const rule = /^rule: (.+)$/.exec(subject)?.[1];
    const { suite } = await load();
    if (rule !== undefined) assert.ok(Object.hasOwn(suite.differences ?? {}, rule), `${name} has no rule ${rule}`);
    const file = resolve(root, "conformance/golden", `${name}.jsonl`);
    if (rule !== undefined) continue;
    const cases = readGolden(file);
    assert.ok(cases.ok && cases.value.some((golden) => golden.name === subject), `${name} has no case ${subject}`);
  }
});
