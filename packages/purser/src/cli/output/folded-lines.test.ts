import assert from "node:assert/strict";
import { test } from "node:test";
import { foldedLine } from "./folded-lines.ts";

for (const [words, line, width, expected] of [
  ["a line that fits stays as it is", "  one two", 9, ["  one two"]],
  [
    "words are kept whole, and later lines are indented",
    "  one two three four five six",
    24,
    ["  one two three four", "    five six"],
  ],
  [
    "a word that is wider than the terminal is cut",
    `+ ${"x".repeat(30)}`,
    24,
    [`+ ${"x".repeat(22)}`, `  ${"x".repeat(8)}`],
  ],
  [
    "a deep indentation leaves room for words",
    `${" ".repeat(30)}abcdefghij abcdefghij abcdefghij`,
    40,
    [`${" ".repeat(30)}abcdefghij`, `${" ".repeat(20)}abcdefghij`, `${" ".repeat(20)}abcdefghij`],
  ],
  ["no line is empty", "aaaa bbbb", 4, ["aaaa", "bbbb"]],
] satisfies [string, string, number, string[]][])
  test(words, () => {
    assert.deepEqual(foldedLine(line, width), expected);
  });

test("every line fits, and no letter is lost", () => {
  const text =
    "  restart     Deployment demo/logbook-db-controller: 1 replica, which restarts; then sha256:aaaaaaaaaaaaaaaaaaaaaaaaaa";
  for (let width = 24; width < 130; width++) {
    const lines = foldedLine(text, width);
    assert.ok(
      lines.every((line) => line.length <= width),
      `${width}: ${lines.join("\n")}`,
    );
    assert.equal(lines.join("").replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""));
  }
});
