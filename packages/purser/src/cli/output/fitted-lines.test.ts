import assert from "node:assert/strict";
import { test } from "node:test";
import { fittedLines, plainCharacters } from "./fitted-lines.ts";

for (const [words, text, width, expected] of [
  ["a line that fits stays as it is", "  do    purser list -A      all", 40, "  do    purser list -A      all"],
  ["a sentence is folded at a space", "one two three four", 12, "one two\nthree four"],
  [
    "what a command does goes to a line of its own",
    "  do    purser status ext/ballast-cache      look at it",
    40,
    "  do    purser status ext/ballast-cache\n          look at it",
  ],
  [
    "a command that is too wide goes on behind a backslash",
    "  or    purser adopt csv/data/etcd.v0.9.0 --package etcd --channel alpha",
    44,
    "  or    purser adopt csv/data/etcd.v0.9.0 \\\n          --package etcd --channel alpha",
  ],
  [
    "words in quotes stay together",
    'fix: kubectl patch x -p \'{"a b": "c d"}\'',
    24,
    'fix: kubectl patch x \\\n       -p \\\n       \'{"a b": "c d"}\'',
  ],
] as const)
  test(words, () => assert.equal(fittedLines(text, width), expected));

test("trees are drawn with ASCII, or with indentation alone where they are heard", () => {
  const tree = "a\n├─ ✓ b\n│  └─ c\n└─ d";
  assert.equal(plainCharacters(tree, "ascii"), "a\n|- ✓ b\n|  `- c\n`- d");
  assert.equal(plainCharacters(tree, "accessible"), "a\n  b\n     c\n  d");
});
