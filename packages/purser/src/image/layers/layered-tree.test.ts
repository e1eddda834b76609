import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EntryDecision } from "./layer-entry.ts";
import { LayeredTree } from "./layered-tree.ts";

/**
 * `d PATH`, `f PATH`, `s PATH TARGET`, `l PATH TARGET` (hard link), `r PATH` (removed), `w PATH` (whiteout), `o PATH`
 * (opaque); `--` starts a layer. The content of a file is the number of its line.
 */
function treeOf(lines: readonly string[]): { readonly tree: LayeredTree; readonly problem?: string } {
  const tree = new LayeredTree(100);
  tree.startLayer();
  for (const [number, line] of lines.entries()) {
    if (line === "--") {
      tree.startLayer();
      continue;
    }
    const [letter = "", text = "", target = ""] = line.split(" ");
    const path = text.split("/").filter(Boolean);
    const decisions: Readonly<Record<string, EntryDecision>> = {
      d: { kind: "directory", path },
      f: { kind: "file", path },
      s: { kind: "symlink", path, target },
      l: { kind: "link", path, target: target.split("/") },
      r: { kind: "remove", path },
      w: { kind: "whiteout", path },
      o: { kind: "opaque", path },
    };
    const put = tree.put(decisions[letter] ?? { kind: "ignore" }, number);
    if (!put.ok) return { tree, problem: put.problem };
  }
  return { tree };
}

function shown(lines: readonly string[]): readonly string[] | string {
  const { tree, problem } = treeOf(lines);
  if (problem !== undefined) return problem;
  const entries = tree.entries();
  if (!entries.ok) return entries.problem;
  return entries.value.map((entry) => {
    const path = entry.path.join("/");
    if (entry.kind === "directory") return `${path}/`;
    return entry.kind === "file" ? `${path} ${entry.content}` : `${path} -> ${entry.target}`;
  });
}

const cases: readonly (readonly [rule: string, lines: readonly string[], shows: readonly string[] | RegExp])[] = [
  ["directories in between are made", ["f a/b/c"], ["a/", "a/b/", "a/b/c 0"]],
  ["the last of two files of one layer counts", ["f a", "f a"], ["a 1"]],
  ["the file of the upper layer counts", ["f a", "--", "f a"], ["a 2"]],
  ["a directory keeps what lower layers have in it", ["f a/x", "--", "d a", "f a/y"], ["a/", "a/x 0", "a/y 3"]],
  ["a file replaces a directory", ["f a/x", "--", "f a"], ["a 2"]],
  ["a directory replaces a file", ["f a", "--", "d a", "f a/x"], ["a/", "a/x 3"]],
  ["a whiteout removes a file of a lower layer", ["f a", "f b", "--", "w a"], ["b 1"]],
  ["a whiteout removes a directory of a lower layer", ["f a/x/y", "--", "w a"], []],
  ["a whiteout before the entry of its layer keeps that", ["f a", "--", "w a", "f a"], ["a 3"]],
  ["a whiteout behind the entry of its layer keeps that", ["f a", "--", "f a", "w a"], ["a 2"]],
  ["a whiteout keeps what its layer has in the directory", ["f a/x", "--", "f a/y", "w a"], ["a/", "a/y 2"]],
  ["the same with the directory's own entry", ["f a/x", "--", "d a", "w a"], ["a/"]],
  ["a whiteout of nothing does nothing", ["f a", "--", "w b/c"], ["a 0"]],
  ["a whiteout has no effect on upper layers", ["f a", "--", "w a", "--", "f a"], ["a 4"]],
  ["an opaque directory loses what lower layers have", ["f a/x", "f a/y/z", "--", "o a", "f a/n"], ["a/", "a/n 4"]],
  ["also when the marker comes last", ["f a/x", "--", "d a", "f a/n", "o a"], ["a/", "a/n 3"]],
  ["deep files of its layer stay", ["f a/b/x", "--", "f a/b/n", "o a"], ["a/", "a/b/", "a/b/n 2"]],
  ["an opaque root hides everything below", ["f a", "f b/c", "--", "f d", "o /"], ["d 3"]],
  ["an opaque marker in a file does nothing", ["f a", "--", "o a"], ["a 0"]],
  ["a device takes the place of a file", ["f a", "--", "r a"], []],
  ["a hard link is the same file", ["f a", "l b a"], ["a 0", "b 0"]],
  ["a hard link may name a file of a lower layer", ["f a", "--", "l b a"], ["a 0", "b 0"]],
  ["a hard link stays when its target is removed", ["f a", "l b a", "--", "w a"], ["b 0"]],
  ["a hard link to nothing is refused", ["l b a"], /hard link "b": "a" is not a file/],
  ["a hard link to a directory is refused", ["d a", "l b a"], /is not a file/],
  ["a hard link to a symlink is a symlink", ["f a", "s x a", "l y x"], ["a 0", "x -> a", "y -> a"]],
  ["no entry lies below a symlink of its layer", ["d a", "s l a", "f l/x"], /"l\/x" lies below "l"/],
  [
    "no entry lies below a symlink of a lower layer",
    ["s l /etc", "--", "f l/x"],
    /lies below "l", which is not a directory/,
  ],
  ["no entry lies below a file", ["f a", "--", "f a/b"], /lies below "a"/],
  ["a directory in place of a symlink may hold entries", ["s l /etc", "--", "d l", "f l/x"], ["l/", "l/x 3"]],
  ["an absolute link starts at the image's root", ["f a/x", "s a/l /a/x"], ["a/", "a/l -> x", "a/x 0"]],
  [
    "a relative link stays relative",
    ["f a/x", "f b/y", "s b/l ../a/x"],
    ["a/", "a/x 0", "b/", "b/l -> ../a/x", "b/y 1"],
  ],
  ["the parent of the root is the root", ["f a/x", "s a/l ../../../../a/x"], ["a/", "a/l -> x", "a/x 0"]],
  ["a link to a link leads to its end", ["f a/x", "s l a", "s m l/x"], ["a/", "a/x 0", "l -> a", "m -> a/x"]],
  ["a link to the own directory", ["d a", "s a/l ."], ["a/", "a/l -> ."]],
  [
    "a link through a link up",
    ["f a/b/x", "f y", "s l a/b", "s m l/../../y"],
    ["a/", "a/b/", "a/b/x 0", "l -> a/b", "m -> y", "y 1"],
  ],
  ["a link out of the tree is refused", ["s l ../../etc/passwd"], /link "l" leads out/],
  ["an absolute link out of the tree is refused", ["f a/x", "s l /etc/passwd"], /link "l" leads out/],
  ["a link to itself is refused", ["s l l"], /in a circle/],
  ["links in a circle are refused", ["s a b/x", "s b a/y"], /in a circle/],
  ["a link through a file is refused", ["f a", "s l a/b"], /to nothing/],
  ["a link whose end is removed later is refused", ["f a", "s l a", "--", "w a"], /to nothing/],
  ["a link that is removed later may lead anywhere", ["s l /etc", "--", "w l"], []],
  ["names of the prototype are names", ["f __proto__/constructor"], ["__proto__/", "__proto__/constructor 0"]],
];

describe("LayeredTree", () => {
  for (const [rule, lines, shows] of cases)
    test(rule, () => {
      const found = shown(lines);
      if (shows instanceof RegExp) assert.match(String(found), shows);
      else assert.deepEqual(found, shows);
    });

  test("a chain of links longer than Linux follows is refused", () => {
    const chain = (length: number): readonly string[] => [
      "f l0",
      ...Array.from({ length }, (_, index) => `s l${index + 1} l${index}`),
    ];
    assert.equal(shown(chain(40)).length, 41);
    assert.match(String(shown(chain(41))), /in a circle/);
  });
});
