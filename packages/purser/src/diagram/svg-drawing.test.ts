import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureOf } from "./picture.ts";
import { drawSvg } from "./svg-drawing.ts";
import { shortGraph } from "./testing/short-graph.ts";

/** Where the first channel begins. */
function laneStart(version: string): number {
  const svg = drawSvg(pictureOf(shortGraph(`c: ${version}`), { rules: "both" }));
  return Number(/<text class="ug-channel" x="(\d+(?:\.\d+)?)"/.exec(svg)?.[1]);
}

test("the column of versions is as wide as the longest of them, and has a smallest width", () => {
  assert.equal(laneStart("1.0.0"), laneStart("1.1.0"));
  assert.equal(laneStart("1.0.0"), 24 + 60 + 28);
  assert.ok(laneStart(`1.0.0-${"x".repeat(20)}`) > laneStart("1.0.0"));
});
