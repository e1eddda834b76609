import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogText } from "./read-catalog-text.ts";
import { changed, findingsIn, readWorlds } from "./testing/worlds.ts";

const { base } = readWorlds();

const told = (text: string) =>
  findingsIn(text).map(({ rule, why, remedy, fix, place: { line } }) => ({ rule, why, remedy, fix, line }));

const older = `---
schema: olm.bundle
package: foo
name: foo.v0.9.0
image: example.com/foo@sha256:3333333333333333333333333333333333333333333333333333333333333333
properties: [{type: olm.package, value: {packageName: foo, version: 0.9.0}}]
---
schema: olm.deprecations`;

test("a second head that a misspelled edge causes is reported at that edge, and no new edge is suggested", () => {
  const text = changed(base, [
    ["- name: foo.v1.0.0\n-", "- name: foo.v0.9.0\n- name: foo.v1.0.0\n  replaces: foo.v0.9.1\n-"],
    ["---\nschema: olm.deprecations", older],
  ]);
  assert.deepEqual(
    told(text).filter(({ rule }) => rule === "PCH004"),
    [
      {
        rule: "PCH004",
        why: "nothing replaces or skips foo.v0.9.0; foo.v1.0.0 replaces foo.v0.9.1, which is not in the channel",
        remedy: "correct in foo.v1.0.0: replaces: foo.v0.9.0",
        fix: undefined,
        line: 12,
      },
    ],
  );
});

test("an edge to a version below the channel is not reported as misspelled", () => {
  const text = changed(base, [
    ["- name: foo.v1.0.0\n-", "- name: foo.v1.0.0\n  replaces: foo.v0.9.0\n-"],
    ["  replaces: foo.v1.0.0\n", ""],
  ]);
  assert.match(told(text)[0]?.remedy ?? "", /^add to foo\.v1\.1\.0: replaces: foo\.v1\.0\.0$/);
});

test("a misspelled key is named where the right one is missing, and consequences of it are not reported", () => {
  const [first, ...others] = told(changed(base, [["entries:\n- name: foo.v1.0.0", "entires:\n- name: foo.v1.0.0"]]));
  assert.deepEqual(
    [first?.rule, first?.why, first?.remedy],
    ["PCH003", "unknown key entires", "rename entires to entries"],
  );
  assert.deepEqual(others, []);
});

test("a number in place of a version string is reported with what to write", () => {
  const [first] = told(changed(base, [["packageName: foo, version: 1.1.0", "packageName: foo, version: 1.1"]]));
  assert.deepEqual(
    [first?.rule, first?.why, first?.remedy],
    ["PBN003", "version is a number, not a string", "put the value into quotes"],
  );
});

test("the remedy for a file that is no part of the catalog is to keep it out, without a fix", () => {
  for (const file of ["c/README.md", "c/.purser.yaml", "c/.schemas/catalog.json"])
    for (const text of ["# words\n", "a: b\n"]) {
      const [finding] = readCatalogText({ file, text }).findings;
      assert.equal(finding?.remedy, "keep the file out of the catalog: move it, or name it in .indexignore", file);
      assert.equal(finding?.fix, undefined);
    }
  assert.equal(readCatalogText({ file: "./../c/foo.yaml", text: "a: b\n" }).findings[0]?.remedy, undefined);
});
