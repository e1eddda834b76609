import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureOf } from "./picture.ts";
import { shortGraph, shortPath } from "./testing/short-graph.ts";

/** `KIND TO<-FROM,FROM` of the arrows of the first channel, by version; `*` marks the rows that the path takes. */
function arrowsOf(text: string, options: object = {}): readonly string[] {
  const { rows, lanes } = pictureOf(shortGraph(text), { rules: "both", all: true, ...options });
  const label = (row: number): string => rows[row]?.label ?? "none";
  return (lanes[0]?.arrows ?? []).map(
    ({ kind, to, from, range = "", pathFrom }) =>
      `${kind}${range === "" ? "" : ` ${range}`} ${label(to)}<-${from
        .map((row) => `${label(row)}${pathFrom.includes(row) ? "*" : ""}`)
        .join(",")}`,
  );
}

for (const [what, text, arrows] of [
  [
    "each declared upgrade is an arrow",
    "c: 1.2.0 r=1.1.0; 1.1.0 r=1.0.0; 1.0.0",
    ["replaces 1.2.0<-1.1.0", "replaces 1.1.0<-1.0.0"],
  ],
  [
    "a version that is replaced and skipped has one arrow",
    "c: 1.2.0 r=1.1.0 s=1.1.0,1.0.0; 1.1.0; 1.0.0",
    ["replaces 1.2.0<-1.1.0", "skips 1.2.0<-1.0.0"],
  ],
  [
    "all that an entry skips is one arrow, from new to old",
    "c: 1.3.0 s=1.0.0,1.2.0,1.1.0; 1.2.0; 1.1.0; 1.0.0",
    ["skips 1.3.0<-1.2.0,1.1.0,1.0.0"],
  ],
  [
    "an upgrade from a version that the catalog does not have is drawn",
    "c: 1.1.0 r=0.9.0; 1.0.0",
    ["replaces 1.1.0<-0.9.0"],
  ],
  ["a range is drawn although no version is in it", "c: 1.1.0 sr=<0.5.0; 1.0.0", ["skipRange <0.5.0 1.1.0<-"]],
] as const)
  test(`in a drawing ${what}`, () => assert.deepEqual(arrowsOf(text), arrows));

test("in a drawing the path marks the versions that it comes from", () => {
  const text = "c: 1.2.0 r=1.1.0; 1.1.0 r=1.0.0; 1.0.0";
  assert.deepEqual(arrowsOf(text, { path: shortPath(shortGraph(text), "1.1.0") }), [
    "replaces 1.2.0<-1.1.0*",
    "replaces 1.1.0<-1.0.0",
  ]);
});
