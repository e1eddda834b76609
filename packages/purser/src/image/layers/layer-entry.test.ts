import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decideEntry, type EntryDecision, type LayerEntry } from "./layer-entry.ts";

const rules = { directories: [["configs"], ["deep", "er"]], fileBytes: 1000, pathBytes: 60, depth: 5 };

function decide(entry: Partial<LayerEntry> & { readonly name: string }): EntryDecision {
  return decideEntry({ kind: "file", isSparse: false, size: 1, target: "", ...entry }, rules);
}

const cases: readonly (readonly [given: string, entry: Partial<LayerEntry> & { name: string }, becomes: string])[] = [
  ["a file in a wanted directory", { name: "configs/a.yaml" }, "file configs/a.yaml"],
  ["an absolute path", { name: "/configs/a.yaml" }, "file configs/a.yaml"],
  ["a path with dots and double slashes", { name: "./configs//./a.yaml" }, "file configs/a.yaml"],
  ["a file elsewhere", { name: "etc/passwd" }, "ignore"],
  ["a file whose directory only begins like a wanted one", { name: "configs2/a" }, "ignore"],
  ["the wanted directory", { name: "configs/", kind: "directory" }, "directory configs"],
  ["a directory that leads to a wanted one", { name: "deep", kind: "directory" }, "directory deep"],
  ["a file beside a wanted directory", { name: "deep/other" }, "ignore"],
  ["a file where a wanted directory has to be", { name: "configs" }, "remove configs"],
  ["a link where a directory to it has to be", { name: "deep", kind: "symlink", target: "x" }, "symlink deep"],
  ["a hard link where a wanted directory has to be", { name: "configs", kind: "link", target: "x" }, "remove configs"],
  ["..", { name: "configs/../../etc/passwd" }, "refuse .."],
  [".. outside of the wanted directories", { name: "../x" }, "refuse .."],
  ["NUL", { name: "configs/a\0b" }, "refuse NUL"],
  ["bytes that are not UTF-8", { name: "configs/a\uFFFD" }, "refuse UTF-8"],
  ["bytes that are not UTF-8, elsewhere", { name: "etc/a\uFFFD" }, "ignore"],
  ["a backslash", { name: "configs\\..\\..\\x" }, "ignore"],
  ["a backslash in a wanted directory", { name: "configs/..\\..\\x" }, "refuse backslash"],
  ["a backslash elsewhere", { name: "usr/lib/systemd/system-a\\x2db.slice" }, "ignore"],
  ["a line break", { name: "configs/a\nb" }, "refuse control character"],
  ["a composed letter", { name: "configs/\u00e9" }, "file configs/\u00e9"],
  ["the same letter decomposed", { name: "configs/e\u0301" }, "file configs/e\u0301"],
  ["upper case", { name: "configs/A" }, "file configs/A"],
  ["a wanted directory in upper case", { name: "CONFIGS/a" }, "ignore"],
  ["a path that is too long", { name: `configs/${"x".repeat(53)}` }, "refuse longer"],
  ["a path that is too deep", { name: "configs/a/b/c/d/e" }, "refuse deeper"],
  ["a large file", { name: "configs/a", size: 1001 }, "refuse 1001 bytes"],
  ["a large file elsewhere", { name: "etc/a", size: 1001 }, "ignore"],
  ["a sparse file", { name: "configs/a", isSparse: true }, "refuse sparse"],
  ["a sparse file elsewhere", { name: "etc/a", isSparse: true }, "ignore"],
  ["a device", { name: "configs/null", kind: "device" }, "remove configs/null"],
  ["a symlink", { name: "configs/l", kind: "symlink", target: "/etc/passwd" }, "symlink configs/l"],
  ["a hard link", { name: "configs/l", kind: "link", target: "configs/a" }, "link configs/l"],
  ["a hard link with ..", { name: "configs/l", kind: "link", target: "../a" }, "refuse .."],
  ["a whiteout", { name: "configs/.wh.a" }, "whiteout configs/a"],
  ["a whiteout of a wanted directory", { name: ".wh.configs" }, "whiteout configs"],
  ["a whiteout of a directory above a wanted one", { name: ".wh.deep" }, "whiteout deep"],
  ["a whiteout elsewhere", { name: ".wh.etc" }, "ignore"],
  ["an opaque marker", { name: "configs/.wh..wh..opq" }, "opaque configs"],
  ["an opaque marker in the root", { name: ".wh..wh..opq" }, "opaque "],
  ["an opaque marker elsewhere", { name: "etc/.wh..wh..opq" }, "ignore"],
  ["bookkeeping of aufs", { name: ".wh..wh.plnk/123.456" }, "ignore"],
  ["bookkeeping of aufs in a wanted directory", { name: "configs/.wh..wh.aufs" }, "ignore"],
  ["a whiteout without a name", { name: "configs/.wh." }, "refuse whiteout"],
  ["a whiteout of ..", { name: "configs/.wh..." }, "refuse whiteout"],
  ["a whiteout of .", { name: "configs/.wh.." }, "refuse whiteout"],
  ["a file below a whiteout", { name: "configs/.wh.a/b" }, "ignore"],
  ["an empty name", { name: "" }, "remove "],
];

describe("decideEntry", () => {
  for (const [given, entry, becomes] of cases)
    test(`${given}: ${becomes}`, () => {
      const decision = decide(entry);
      if (decision.kind === "refuse") {
        const [kind, ...words] = becomes.split(" ");
        assert.equal(kind, "refuse", decision.cause);
        assert.ok(decision.cause.includes(words.join(" ")), decision.cause);
      } else assert.equal("path" in decision ? `${decision.kind} ${decision.path.join("/")}` : decision.kind, becomes);
    });

  test("a refusal shows at most 200 characters of a name and no control characters", () => {
    const decision = decide({ name: `configs/\u001b[31m${"x".repeat(5000)}` });
    assert.ok(decision.kind === "refuse" && decision.cause.length < 300 && !decision.cause.includes("\u001b"));
  });
});
