import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { load } from "js-yaml";
import { families } from "../../src/metrics/families.ts";
import { monitoringFiles } from "./files.ts";

const directory = resolve(import.meta.dirname, "../../../../deploy/monitoring");

for (const [name, text] of monitoringFiles)
  test(`deploy/monitoring/${name} is what the generator writes`, () =>
    assert.equal(
      readFileSync(resolve(directory, name), "utf8"),
      text,
      "run node packages/purser/build/monitoring/main.ts",
    ));

const known = new Set(
  families.flatMap(({ name, kind }) =>
    kind === "histogram"
      ? [name, `${name}_sum`, `${name}_count`, `${name}_bucket`]
      : kind === "summary"
        ? [name, `${name}_sum`, `${name}_count`]
        : [name],
  ),
);

/** The text of a scalar of YAML or JSON. */
const exprOf = (value: string): string => String(load(value));

test("rules and panels ask for metrics that the program has, with labels that they have", () => {
  const queries = [...monitoringFiles.values()].flatMap((text) =>
    Array.from(text.matchAll(/^\s*"?expr"?: (.*?),?$/gm), ([, value = ""]) => exprOf(value)),
  );
  assert.ok(queries.length > 30);
  for (const query of queries) {
    const names = query.match(/\b[a-z][a-z_0-9]*(?=\)|\{|\[| ==| >)/g)?.filter((word) => word.includes("_")) ?? [];
    assert.ok(names.length > 0, query);
    const asked = names.filter((name) => !["last_over_time"].includes(name));
    assert.deepEqual(
      asked.filter((name) => !known.has(name)),
      [],
      query,
    );
    const labels = [...query.matchAll(/by\(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
    const owned = new Set(
      families.filter(({ name }) => asked.some((one) => one.startsWith(name))).flatMap((family) => family.labels),
    );
    if (query.includes("_bucket")) owned.add("le");
    // The scrape target's.
    if (query.includes("installplan_warnings_total")) owned.add("namespace");
    assert.deepEqual(
      labels.filter((label) => !owned.has(label)),
      [],
      query,
    );
  }
});

const promtool = spawnSync("promtool", ["--version"], { encoding: "utf8" });
const skip = promtool.error === undefined ? false : "not here: promtool of Debian's package prometheus";

test("promtool accepts the rules, and each alert fires when it should and not before", { skip }, () => {
  for (const command of [
    ["check", "rules", "rules.yaml"],
    ["test", "rules", "rules.test.yaml"],
  ]) {
    const { status, stdout, stderr } = spawnSync("promtool", command, { cwd: directory, encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
  }
});
