import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawDot } from "./dot-drawing.ts";
import { tableOf } from "./graph-table.ts";
import { drawHtml } from "./html-drawing.ts";
import { drawMermaid } from "./mermaid-drawing.ts";
import { pictureOf } from "./picture.ts";
import type { PictureOptions } from "./picture-options.ts";
import { drawSvg } from "./svg-drawing.ts";
import { shortGraph, shortPath } from "./testing/short-graph.ts";
import { named } from "../upgrade-graph/testing/short-package.ts";

const directory = join(import.meta.dirname, "testing", "drawings");
/** `PURSER_TEST_RECORD=drawings` writes them anew after a change of how graphs are drawn: look at them before they are committed. */
const isRecording = process.env["PURSER_TEST_RECORD"] === "drawings";

const branches = shortGraph(
  [
    "stable: 1.5.0 r=1.4.0 s=1.4.1 sr=>=1.0.0 <1.3.0; 1.4.1 r=1.4.0; 1.4.0 r=1.3.0; 1.3.0 r=1.2.0 dep; 1.2.0 r=1.1.0",
    "fast: 2.1.0 r=2.0.4; 2.0.4 r=2.0.3; 2.0.3 r=2.0.2; 2.0.2 r=2.0.1; 2.0.1 r=2.0.0; 2.0.0 s=1.5.0; 0.2.0 r=0.1.0; 0.1.0 r=0.2.0",
  ].join("|"),
);
const run = Array.from({ length: 14 }, (_, at) => `1.${13 - at}.0${at === 13 ? "" : ` r=1.${12 - at}.0`}`).join("; ");
const skipping =
  "wide: 3.0.0 r=1.0.0 s=2.0.0 s=1.2.0 sr=>=1.0.0 <3.0.0; 2.0.0 r=1.2.0 s=1.1.0 sr=>=1.0.0 <2.0.0; 1.2.0 r=1.1.0; 1.1.0 r=1.0.0; 1.0.0";

const drawings: Readonly<Record<string, readonly [ReturnType<typeof shortGraph>, PictureOptions]>> = {
  branches: [
    branches,
    {
      rules: "both",
      path: shortPath(branches, "1.2.0"),
      installed: new Map([[named("1.4.0"), ["sub/ns/op", "ext/op"]]]),
      notes: [
        'a note with <signs> & "quotes" that is long enough to be wrapped to the next line of the drawing, and then some more words',
      ],
    },
  ],
  folded: [shortGraph(`stable: ${run}|${skipping}`), { rules: "v0" }],
  skips: [shortGraph(skipping), { rules: "v1", all: true }],
};

for (const [name, [graph, options]] of Object.entries(drawings)) {
  const picture = pictureOf(graph, options);
  const forms = {
    svg: () => drawSvg(picture),
    html: () => drawHtml(graph, options),
    dot: () => drawDot(picture),
    mmd: () => drawMermaid(picture),
    json: () => `${JSON.stringify(tableOf(picture), undefined, 2)}\n`,
  };
  for (const [form, draw] of Object.entries(forms))
    test(`the drawing ${name}.${form} is the recorded one, byte for byte`, () => {
      const file = join(directory, `${name}.${form}.txt`);
      if (isRecording) {
        mkdirSync(directory, { recursive: true });
        writeFileSync(file, draw());
      }
      assert.equal(draw(), readFileSync(file, "utf8"));
    });
}
