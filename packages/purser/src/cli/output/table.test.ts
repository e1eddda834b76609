import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTable } from "./table.ts";

test("columns stand two spaces apart, empty cells show as a dash and no line ends in blanks", () => {
  assert.equal(
    formatTable(["NAME", "STATE", "WHY"], [["a", "Ready", ""], ["longer", undefined, "text"], ["b"]]),
    ["NAME    STATE  WHY", "a       Ready  -", "longer  -      text", "b       -      -"].join("\n"),
  );
});

test("without headings only the rows are printed, as narrow as they are", () => {
  assert.equal(formatTable(["NAME", "X"], [["a", "b"]], false), "a  b");
});

test("wide characters and graphemes of several code points keep the columns straight", () => {
  assert.equal(
    formatTable(
      ["A", "B"],
      [
        ["日本", "x"],
        ["e\u0301", "y"],
      ],
    ),
    ["A     B", "日本  x", "e\u0301     y"].join("\n"),
  );
});
