import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOf } from "../catalog-view.ts";
import { loadCatalog } from "../loading/load.ts";
import { smallCatalog } from "../testing/small-catalog.ts";
import { diffCatalogs } from "./catalog-diff.ts";
import { diffRows, formatDiff, formatDiffMarkdown, summaryOfRows } from "./diff-text.ts";

const rowsOf = (old: string, next: string) =>
  diffRows(
    diffCatalogs(
      viewOf(loadCatalog([{ file: "old", text: old }]).blobs),
      viewOf(loadCatalog([{ file: "new", text: next }]).blobs),
    ),
  );
const foo = (...versions: readonly string[]): string => smallCatalog("foo", versions);

const tables: readonly (readonly [what: string, old: string, next: string, lines: readonly string[]])[] = [
  ["equal catalogs do not differ", foo("1.0.0"), foo("1.0.0"), []],
  [
    "the order of properties does not count",
    foo("1.0.0"),
    foo("1.0.0").replace(/(- type: olm\.package\n(?:  .*\n)+)(- type: olm\.gvk\n.*\n)/, "$2$1"),
    [],
  ],
  ["a new head", foo("1.0.0"), foo("1.0.0", "1.1.0"), ["~ foo  +1.1.0 in stable (head)"]],
  [
    "many new versions stand together",
    foo("1.0.0"),
    foo("1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"),
    ["~ foo  +4 versions in stable: 1.1.0, 1.2.0, 1.3.0, 1.4.0, head 1.4.0"],
  ],
  [
    "a new package",
    foo("1.0.0"),
    foo("1.0.0") + smallCatalog("bar", ["1.0.0", "2.0.0"]),
    ["+ bar  new package, 2 versions"],
  ],
  [
    "a removed package",
    foo("1.0.0") + smallCatalog("bar", ["1.0.0"]),
    foo("1.0.0"),
    ["! bar  package removed, 1 version"],
  ],
  [
    "a deprecation",
    foo("1.0.0", "1.1.0"),
    `${foo("1.0.0", "1.1.0")}---\nschema: olm.deprecations\npackage: foo\nentries:\n- reference: {schema: olm.bundle, name: foo.v1.0.0}\n  message: old\n`,
    ["~ foo  1.0.0 deprecated"],
  ],
  [
    "a minor that lost its path is shown as one",
    foo("2.0.0", "2.0.1", "2.1.0"),
    foo("2.0.0", "2.0.1", "2.1.0")
      .replace("- name: foo.v2.1.0\n  replaces: foo.v2.0.1\n", "- name: foo.v2.1.0\n")
      .replace(/- name: foo\.v2\.0\.0\n- name: foo\.v2\.0\.1\n  replaces: foo\.v2\.0\.0\n/, ""),
    [
      "! foo  users on 2.0.x in channel stable lost their path (v0 and v1)   -2.0.0 in stable   -2.0.1 in stable",
      "       2.1.0 in stable: -replaces foo.v2.0.1",
    ],
  ],
  [
    "a published bundle that changed",
    foo("1.0.0", "1.1.0"),
    foo("1.0.0", "1.1.0").replace("image: example.com/foo:v1.0.0", "image: example.com/foo:v1.0.0-2"),
    ["! foo  published bundle foo.v1.0.0 changed: image"],
  ],
];
for (const [what, old, next, lines] of tables) {
  test(what, () => assert.equal(formatDiff(rowsOf(old, next)), lines.join("\n")));
}

test("the markdown names what breaks first and escapes what names could do to it", () => {
  const rows = rowsOf(foo("1.0.0") + smallCatalog("bar", ["1.0.0"]), foo("1.0.0", "1.1.0"));
  assert.deepEqual(summaryOfRows(rows), { breaking: 1, changes: 1 });
  assert.equal(
    formatDiffMarkdown(rows),
    [
      "### Catalog changes",
      "",
      "1 breaking, 1 change.",
      "",
      "#### Breaking",
      "",
      "- **bar**: package removed, 1 version",
      "",
      "#### Changes",
      "",
      "- **foo**: +1.1.0 in stable (head)",
      "",
    ].join("\n"),
  );
});
