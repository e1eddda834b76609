import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fitTable, formatTable } from "./table.ts";

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

const columns = [
  { heading: "NAME" },
  { heading: "VERSION", rank: 1 },
  { heading: "API", rank: 2 },
  { heading: "WHY", isSentence: true },
] as const;
const rows = [["etcd", "0.9.4", "v0", "no entry of the channel upgrades etcd.v0.9.0"]];

const fitted: readonly (readonly [width: number, lines: readonly string[]])[] = [
  [Infinity, ["NAME  VERSION  API  WHY", "etcd  0.9.4    v0   no entry of the channel upgrades etcd.v0.9.0"]],
  [50, ["NAME  VERSION  API  WHY", "etcd  0.9.4    v0   no entry of the channel upgra…"]],
  [44, ["NAME  VERSION  API  WHY", "etcd  0.9.4    v0   no entry of the channel…"]],
  [43, ["NAME  VERSION  WHY", "etcd  0.9.4    no entry of the channel upg…"]],
  [38, ["NAME  WHY", "etcd  no entry of the channel upgrade…"]],
  [20, ["NAME  WHY", "etcd  no entry of t…"]],
];
for (const [width, lines] of fitted)
  test(`in ${width} columns sentences are cut first, then columns dropped by rank`, () => {
    assert.equal(fitTable(columns, rows, true, width), lines.join("\n"));
  });

test("names lose their middle only when no column can be dropped", () => {
  assert.equal(
    fitTable([{ heading: "A" }, { heading: "B", rank: 1 }], [["percona-server-mongodb", "x"]], false, 11),
    "perco…ngodb",
  );
});

test("no line is longer than the terminal, whatever the cells hold", () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "-", "b"), maxLength: 60 }),
    fc.constant("日本語日本語"),
  );
  const table = fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(table, fc.integer({ min: 22, max: 200 }), (cells, width) => {
      const lines = fitTable(columns, cells, true, width).split("\n");
      assert.equal(lines.length, cells.length + 1);
      for (const line of lines) {
        const used = line.length + (line.match(/[日本語]/g) ?? []).length;
        assert.ok(used <= width, `${used} of ${width}: ${line}`);
      }
    }),
  );
});
