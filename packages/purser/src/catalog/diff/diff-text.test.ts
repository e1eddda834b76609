import assert from "node:assert/strict";
import { test } from "node:test";
import type { PackageDiff } from "./catalog-diff.ts";
import { diffRows, formatDiff, formatDiffMarkdown, summaryOfRows } from "./diff-text.ts";
import { isBreaking, type PackageChange } from "./package-changes.ts";

const added = (version: string, channel = "stable", isHead = false): PackageChange => ({
  kind: "versionAdded",
  channel,
  bundle: `foo.v${version}`,
  version,
  isHead,
});
const removed = (version: string, channel = "stable"): PackageChange => ({
  kind: "versionRemoved",
  channel,
  bundle: `foo.v${version}`,
  version,
});
const lost = (
  version: string,
  rules: readonly ("v0" | "v1")[],
  more: { readonly channel?: string; readonly minor?: string } = {},
): PackageChange => ({
  kind: "pathLost",
  channel: "stable",
  bundle: `foo.v${version}`,
  version,
  rules,
  end: "foo.v9",
  ...more,
});
const changed = (version: string, ...parts: readonly ("image" | "properties" | "relatedImages")[]): PackageChange => ({
  kind: "bundleChanged",
  bundle: `foo.v${version}`,
  version,
  parts,
});
const gone = (version: string): PackageChange => ({ kind: "bundleRemoved", bundle: `foo.v${version}`, version });

const rowsOf = (changes: readonly PackageChange[], name = "foo") => {
  const diff: PackageDiff = { kind: "changed", name, isBreaking: changes.some(isBreaking), changes };
  return diffRows([diff]);
};

const sentences: readonly (readonly [what: string, changes: readonly PackageChange[], texts: readonly string[]])[] = [
  ["a new head of a channel", [{ kind: "headChanged", channel: "a", from: "1", to: "2" }], ["head of a is 2, was 1"]],
  [
    "new edges of an entry, of which four are named",
    [{ kind: "edgesChanged", channel: "a", bundle: "foo.v1", version: "1", edges: ["+a", "-b", "+c", "+d", "+e"] }],
    ["1 in a: +a, -b, +c, +d and 1 more"],
  ],
  ["a new channel", [{ kind: "channelAdded", channel: "a", versions: 1 }], ["+channel a, 1 version"]],
  ["a removed channel", [{ kind: "channelRemoved", channel: "a" }], ["! channel a removed"]],
  ["a deprecation", [{ kind: "deprecationAdded", subject: "channel a", message: "m" }], ["channel a deprecated"]],
  ["a deprecation that ended", [{ kind: "deprecationRemoved", subject: "1" }], ["1 no longer deprecated"]],
  [
    "a deprecation with another message",
    [{ kind: "deprecationReworded", subject: "1", message: "m" }],
    ["1: new words for its deprecation"],
  ],
  ["another default channel", [{ kind: "defaultChannel", from: "a", to: "b" }], ["default channel b, was a"]],
  ["a first default channel", [{ kind: "defaultChannel", from: "", to: "b" }], ["default channel b, was unset"]],
  ["no default channel", [{ kind: "defaultChannel", from: "a", to: "" }], ["default channel unset, was a"]],
  ["another description", [{ kind: "description" }], ["description or icon changed"]],
  [
    "three new versions one by one",
    [added("1"), added("2"), added("3", "stable", true)],
    ["+1 in stable", "+2 in stable", "+3 in stable (head)"],
  ],
  [
    "more than three together, with the head among them",
    [added("1"), added("2"), added("3", "stable", true), added("4"), added("5")],
    ["+5 versions in stable: 1, 2, 3, 4 and 1 more, head 3"],
  ],
  [
    "more than three removed versions, which have no head",
    [removed("1"), removed("2"), removed("3"), removed("4")],
    ["-4 versions in stable: 1, 2, 3, 4"],
  ],
  [
    "versions of two channels apart",
    [added("1"), added("1", "fast"), removed("0"), removed("0", "fast")],
    ["+1 in stable", "+1 in fast", "-0 in stable", "-0 in fast"],
  ],
  ["a removed bundle", [gone("1")], ["! published bundle foo.v1 removed"]],
  [
    "bundles with the same change in one sentence",
    [changed("1", "image", "properties"), gone("2"), changed("3", "image", "properties"), changed("4", "image")],
    [
      "! published bundles foo.v1, foo.v3 changed: image, properties",
      "! published bundle foo.v2 removed",
      "! published bundle foo.v4 changed: image",
    ],
  ],
  [
    "lost paths by channel and rules, whole minors once",
    [
      lost("1.0.0", ["v0"]),
      lost("1.1.0", ["v0"]),
      lost("1.2.0", ["v0", "v1"]),
      lost("1.3.0", ["v0"], { channel: "fast" }),
      lost("2.0.0", ["v0"], { minor: "2.0" }),
      lost("2.0.1", ["v0"], { minor: "2.0" }),
    ],
    [
      "! users on 1.0.0, 1.1.0, 2.0.x in channel stable lost their path (v0)",
      "! users on 1.2.0 in channel stable lost their path (v0 and v1)",
      "! users on 1.3.0 in channel fast lost their path (v0)",
    ],
  ],
];
for (const [what, changes, texts] of sentences)
  test(`the diff of a package says ${what}, and marks what breaks users`, () => {
    const [row] = rowsOf(changes);
    assert.deepEqual(
      row?.parts.map((part) => `${part.isBreaking ? "! " : ""}${part.text}`),
      texts,
    );
    assert.equal(row?.mark, texts.some((text) => text.startsWith("! ")) ? "!" : "~");
  });

test("parts share a line of up to 100 letters, and names are aligned", () => {
  const subject = "s".repeat(32);
  const deprecated = (more: string): PackageChange => ({
    kind: "deprecationAdded",
    subject: `${subject}${more}`,
    message: "m",
  });
  const text = `${subject} deprecated`;
  // 43 letters, a gap of three that does not count, and 57.
  const [exact, over] = ["x".repeat(14), "x".repeat(15)];
  assert.equal(
    formatDiff([
      ...rowsOf([deprecated(""), deprecated(exact)]),
      ...rowsOf([deprecated(""), deprecated(over)], "longer"),
    ]),
    [
      `~ foo     ${text}   ${subject}${exact} deprecated`,
      `~ longer  ${text}`,
      `          ${subject}${over} deprecated`,
    ].join("\n"),
  );
});

test("new and removed packages have one sentence each", () => {
  const rows = diffRows([
    { kind: "added", name: "a", versions: 2, channels: ["stable"] },
    { kind: "removed", name: "b", versions: 1 },
  ]);
  assert.equal(formatDiff(rows), "+ a  new package, 2 versions\n! b  package removed, 1 version");
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
      "- **b**: package removed, 1 version",
      "",
      "#### Changes",
      "",
      "- **a**: new package, 2 versions",
      "",
    ].join("\n"),
  );
});

test("the markdown of equal catalogs, of harmless changes and of breaking ones has only the parts that it needs", () => {
  assert.equal(formatDiffMarkdown([]), "### Catalog changes\n\nNone.\n");
  assert.equal(
    formatDiffMarkdown(rowsOf([{ kind: "description" }, added("1_0")])),
    [
      "### Catalog changes",
      "",
      "0 breaking, 1 change.",
      "",
      "#### Changes",
      "",
      "- **foo**",
      "  - +1\\_0 in stable",
      "  - description or icon changed",
      "",
    ].join("\n"),
  );
  assert.equal(
    formatDiffMarkdown(rowsOf([gone("1")])),
    [
      "### Catalog changes",
      "",
      "1 breaking, 0 changes.",
      "",
      "#### Breaking",
      "",
      "- **foo**: published bundle foo.v1 removed",
      "",
    ].join("\n"),
  );
});
