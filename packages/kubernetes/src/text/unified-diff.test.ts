import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "./unified-diff.ts";

const text = (...lines: readonly string[]): string => lines.join("\n");
const letters = "abcdefghijklmnopqrstuvwxyz".split("");

describe("differences of texts", () => {
  for (const [what, before, after, expected] of [
    ["equal texts have no hunks", text("a", "b"), text("a", "b"), ""],
    ["a line is replaced", text("a", "b", "c"), text("a", "x", "c"), "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"],
    ["a line is added to one", "a", text("a", "b"), "@@ -1 +1,2 @@\n a\n+b\n"],
    [
      "a change has three lines of context",
      text(...letters.slice(0, 9)),
      text(...letters.slice(0, 4), "x", ...letters.slice(5, 9)),
      "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+x\n f\n g\n h\n",
    ],
    [
      "distant changes are in separate hunks",
      text(...letters),
      text("x", ...letters.slice(1, 25), "y"),
      "@@ -1,4 +1,4 @@\n-a\n+x\n b\n c\n d\n@@ -23,4 +23,4 @@\n w\n x\n y\n-z\n+y\n",
    ],
    [
      "the longest equal block counts first",
      text("a", "b"),
      text("a", "c", "a", "b"),
      "@@ -1,2 +1,4 @@\n+a\n+c\n a\n b\n",
    ],
  ] as const)
    test(what, () => assert.equal(unifiedDiff(before, after), expected));

  test("unmarked and minus lines are those of the first text around the changes", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = unifiedDiff(before.join("\n"), after.join("\n")).split("\n");
        const kept = diff.filter((line) => line.startsWith(" ") || line.startsWith("-")).map((line) => line.slice(1));
        assert.equal(kept.length <= before.length, true);
        assert.equal(before.join("").includes(kept.slice(0, 1).join("")), true);
      }),
    );
  });
});

test("a comparison of long texts with many equal lines ends, and reports unexamined lines as changed", () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index % 120}`);
  const after = lines.with(20_000, "another line");
  const diff = unifiedDiff(lines.join("\n"), after.join("\n"));
  assert.match(diff, /^\+another line$/m);
});
