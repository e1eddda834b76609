import assert from "node:assert/strict";
import { test } from "node:test";
import type { BundleChange } from "./bundle-diff.ts";
import { formatBundleDiff, formatBundleDiffMarkdown, markdownCode } from "./diff-text.ts";

const crd = "ledgers.example.com";
const changes: readonly BundleChange[] = [
  { part: "images", change: "added", subject: "example.com/a:2", details: [] },
  { part: "permissions", change: "added", subject: "cluster op: secrets", details: ["+ get, list"] },
  { part: "permissions", change: "removed", subject: "cluster op: pods", details: ["- get"] },
  { part: "permissions", change: "changed", subject: "cluster op: nodes", details: ["+ get", "- list"] },
  { part: "permissions", change: "added", subject: "cluster op: none", details: [] },
  { part: "crds", change: "changed", subject: crd, details: ["~ /spec/versions/0"] },
  { part: "crds", change: "removed", subject: "books.example.com", details: [] },
  { part: "objects", change: "changed", subject: crd, details: ["~ /data"] },
];
const breaking = new Map([[crd, ["v1 is no longer served", "spec.a is required"]]]);

test("a bundle's changes are listed by part, with what breaks stored objects below its API", () => {
  assert.equal(
    formatBundleDiff(changes, breaking),
    [
      "Permissions",
      "  + cluster op: secrets  get, list",
      "  - cluster op: pods  get",
      "  ~ cluster op: nodes",
      "      + get",
      "      - list",
      "  + cluster op: none  ",
      "APIs",
      `  ~ ${crd}`,
      "      ~ /spec/versions/0",
      "      ! v1 is no longer served",
      "      ! spec.a is required",
      "  - books.example.com",
      "Objects",
      `  ~ ${crd}`,
      "      ~ /data",
      "Images",
      "  + example.com/a:2",
      "8 changes, 1 API breaking stored objects",
    ].join("\n"),
  );
});

test("the markdown of a bundle's changes has a section a part, with what breaks stored objects at its API", () => {
  assert.equal(
    formatBundleDiffMarkdown(changes.slice(4), breaking),
    [
      "### Permissions",
      "",
      "- **added** `cluster op: none`",
      "",
      "### APIs",
      "",
      `- **changed** \`${crd}\``,
      "  - `~ /spec/versions/0`",
      "  - **breaking** `v1 is no longer served`",
      "  - **breaking** `spec.a is required`",
      "- **removed** `books.example.com`",
      "",
      "### Objects",
      "",
      `- **changed** \`${crd}\``,
      "  - `~ /data`",
      "",
      "4 changes, 1 API breaking stored objects",
      "",
    ].join("\n"),
  );
});

test("equal bundles have no changes", () => {
  assert.equal(formatBundleDiff([], new Map()), "No changes");
  assert.equal(formatBundleDiffMarkdown([], new Map()), "No changes\n");
  assert.equal(formatBundleDiff(changes.slice(0, 1), new Map()), "Images\n  + example.com/a:2\n1 change");
});

test("a code span holds for any text", () => {
  for (const [text, code] of [
    ["a", "`a`"],
    ["a\n b", "`a b`"],
    ["a`b", "``a`b``"],
    ["a``b`c", "```a``b`c```"],
    ["`a", "`` `a ``"],
    ["a`", "`` a` ``"],
  ] as const)
    assert.equal(markdownCode(text), code);
});
