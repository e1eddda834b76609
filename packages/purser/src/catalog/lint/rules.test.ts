import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ruleTable } from "./rules.ts";
import { changed, findingsIn, readWorlds, skipping, type World } from "./testing/worlds.ts";

const { base, worlds } = readWorlds();

test("the base catalog of the worlds has no findings", () => {
  assert.deepEqual(findingsIn(base), []);
});

const textOf = (change: World["change"], skips: number | undefined): string =>
  skips === undefined ? changed(base, change ?? []) : skipping(base, skips);

for (const world of worlds) {
  const { rule, also = [], at, old } = world;
  const options = old === undefined ? {} : { old: changed(base, old) };
  test(`${rule} fires at ${at ?? "its place"}, with its consequences only`, () => {
    const found = findingsIn(textOf(world.change, world.skips), options);
    assert.deepEqual([...new Set(found.map((finding) => finding.rule))].sort(), [...new Set([rule, ...also])].sort());
    const [first] = found.filter((finding) => finding.rule === rule);
    const { line, column } = first?.place ?? {};
    assert.equal([line, column].filter((part) => part !== undefined).join(":"), at);
  });
  if (world.spare === undefined ? world.spareSkips !== undefined : world.spare.length > 0)
    test(`${rule} does not report the near miss`, () => {
      const found = findingsIn(textOf(world.spare, world.spareSkips), options);
      assert.deepEqual(
        found.filter((finding) => finding.rule === rule),
        [],
      );
    });
}

test("a skipRange that contains higher versions of its channel is reported", () => {
  const text = changed(base, [["- name: foo.v1.0.0\n-", "- name: foo.v1.0.0\n  skipRange: <2.0.0 !1.0.0\n-"]]);
  assert.deepEqual(
    findingsIn(text).map(({ rule, message, place }) => [rule, message, place.line]),
    [
      [
        "PCH106",
        'the skipRange "<2.0.0 !1.0.0" of foo.v1.0.0 in channel "stable" holds higher versions: foo.v1.1.0',
        11,
      ],
    ],
  );
});

test("of several heads the one whose bundle is missing counts as the lowest", () => {
  for (const unknown of ["foo.v0.0.1", "foo.v9.0.0"]) {
    const text = changed(base, [["  replaces: foo.v1.0.0\n", `  skips: [foo.v1.0.0]\n- name: ${unknown}\n`]]);
    const found = findingsIn(text).filter(({ rule }) => rule === "PCH004");
    assert.deepEqual(
      found.map(({ why }) => why),
      [`nothing replaces or skips ${unknown}`],
    );
  }
});

test("a lost path says that no update follows for its users", () => {
  const bundleOf = (version: string): string =>
    `---\nschema: olm.bundle\npackage: foo\nname: foo.v${version}\nimage: example.com/foo@sha256:${"3".repeat(64)}\nproperties: [{type: olm.package, value: {packageName: foo, version: ${version}}}]\n`;
  const old = changed(base, [
    [
      "- name: foo.v1.0.0\n-",
      "- name: foo.v0.8.0\n- name: foo.v0.9.0\n  replaces: foo.v0.8.0\n- name: foo.v1.0.0\n  replaces: foo.v0.9.0\n-",
    ],
    ["---\nschema: olm.deprecations", `${bundleOf("0.8.0")}${bundleOf("0.9.0")}---\nschema: olm.deprecations`],
  ]);
  const reasons = (text: string): readonly unknown[] =>
    findingsIn(text, { old })
      .filter(({ rule }) => rule === "PCH121")
      .map(({ bundle, why }) => [bundle, why]);
  assert.deepEqual(reasons(base), [
    ["foo.v0.8.0", "no update follows on it any more"],
    ["foo.v0.9.0", "no update follows on it any more"],
  ]);
});

test("every rule has a world, except those that need a disk or manifests", () => {
  const covered = new Set(worlds.map(({ rule }) => rule));
  assert.deepEqual(
    ruleTable.map(({ id }) => id).filter((id) => !covered.has(id)),
    ["PFL001", "PBN103", "PBN104"],
  );
});

test("ids and names of rules are unique, and hard rules are errors", () => {
  assert.equal(new Set(ruleTable.map(({ id }) => id)).size, ruleTable.length);
  assert.equal(new Set(ruleTable.map(({ name }) => name)).size, ruleTable.length);
  for (const { id, kind, severity } of ruleTable) {
    assert.match(id, /^P(?:FL|PK|CH|BN|DP|CB)\d{3}$/);
    if (kind === "hard") assert.equal(severity, "error", id);
  }
});

test("docs/catalog-rules.md lists every rule with the texts of the table", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../../../docs/catalog-rules.md"), "utf8");
  const rows = text.split("\n").filter((line) => /^\| P[A-Z]{2}\d{3} /.test(line));
  assert.deepEqual(
    rows,
    ruleTable.map(({ id, name, severity, cause, remedy, fixable, against }) => {
      const marks = [...(fixable === true ? ["fix"] : []), ...(against === true ? ["against"] : [])].join(", ");
      return `| ${id} | ${name} | ${severity} | ${cause} | ${remedy} | ${marks === "" ? "-" : marks} |`;
    }),
  );
});
