import assert from "node:assert/strict";
import { test } from "node:test";
import { drawDot } from "./dot-drawing.ts";
import { tableOf } from "./graph-table.ts";
import { drawMermaid } from "./mermaid-drawing.ts";
import { pictureOf } from "./picture.ts";
import { shortGraph, shortPath } from "./testing/short-graph.ts";
import { drawText } from "./text-drawing.ts";

const world = [
  "stable: 1.5.0 r=1.4.0 s=1.4.1 sr=>=1.0.0 <1.3.0; 1.4.1 r=1.4.0; 1.4.0 r=1.3.0; 1.3.0 r=1.2.0 dep; 1.2.0 r=1.1.0",
  "fast: 2.1.0 r=2.0.4; 2.0.4 r=2.0.3; 2.0.3 r=2.0.2; 2.0.2 r=2.0.1; 2.0.1 r=2.0.0; 2.0.0 s=1.5.0; 0.2.0 r=0.1.0; 0.1.0 r=0.2.0",
].join("|");
const graph = shortGraph(world);
const options = { rules: "both", path: shortPath(graph, "1.2.0") } as const;

/** An expected output, without the first line break and the indentation. */
function text([block = ""]: readonly string[]): string {
  return block.replace(/^\n/, "").replace(/^ {4}/gm, "").trimEnd();
}

test("as text, channels stand side by side, the chain on the left and what is beside it on a branch", () => {
  assert.equal(
    drawText(graph, options),
    text([
      String.raw`
    stable (default)                     fast
    * 1.5.0 head, to, hop 1              * 2.1.0 head
    |\ skips 1.4.1                       * 2.0.4
    |\ from >=1.0.0 <1.3.0 (1 here)      * 2.0.3
    | o 1.4.1 skipped                    * 2.0.2
    * 1.4.0  to 1.4.1 (v1)               * 2.0.1
    * 1.3.0  deprecated                  * 2.0.0
    * 1.2.0  from                         \ skips 1.5.0
    ? 1.1.0  not in catalog, to 1.2.0    o 1.5.0  other channel, skipped
                                         o 0.2.0  no way forward, v0: direct install only, to 0.1.0 (v1)
                                         o 0.1.0  no way forward, to 0.2.0 (v1)

    ! channel fast has a cycle: p.v0.2.0 replaces p.v0.1.0 replaces p.v0.2.0 (cycle)
    v0: 1.2.0 -> 1.5.0 (skipRange)`,
    ]),
  );
});

test("as text, runs of more than ten versions are folded, and the drawing names the flag that shows them", () => {
  const chain = Array.from({ length: 11 }, (_, at) => `1.${10 - at}.0${at === 10 ? "" : ` r=1.${9 - at}.0`}`).join(
    "; ",
  );
  assert.equal(
    drawText(shortGraph(`stable: ${chain}`), { rules: "both" }),
    text([
      `
    stable (default)
    * 1.10.0 head
    : 10 versions

    : runs of ordinary versions are folded (--all shows them)`,
    ]),
  );
});

test("as text in a narrow terminal, channels stand below one another", () => {
  const lines = drawText(graph, options, 60).split("\n");
  assert.ok(lines.every((line) => line.length <= 75 || line.startsWith("!")));
  assert.equal(lines.indexOf("fast") > lines.indexOf("? 1.1.0  not in catalog, to 1.2.0"), true);
});

test("under the rules of one family, only its upgrades are drawn", () => {
  assert.doesNotMatch(drawText(graph, { rules: "v0" }), /to 1\.4\.1|\(v1\)/);
  assert.match(drawText(graph, { rules: "v1" }), /1\.4\.0 {2}to 1\.4\.1 {2}/);
});

test("as mermaid, upgrades point at the newer version and the path is thick", () => {
  assert.equal(
    drawMermaid(pictureOf(graph, options)),
    `${text([
      `
    flowchart BT
      %% channel fast has a cycle: p.v0.2.0 replaces p.v0.1.0 replaces p.v0.2.0 (cycle)
      subgraph c0["stable · default"]
        c0r8["1.1.0 (not in catalog)"]:::missing
        c0r7["1.2.0 (from)"]
        c0r6{{"1.3.0 (deprecated)"}}:::deprecated
        c0r5["1.4.0"]
        c0r4["1.4.1 (skipped)"]:::skipped
        c0r3[["1.5.0 (head, to, hop 1)"]]:::head
      end
      subgraph c1["fast"]
        c1r10["0.1.0 (no way forward)"]:::stranded
        c1r9["0.2.0 (no way forward, v0: direct install only)"]:::stranded
        c1r3["1.5.0 (other channel, skipped)"]:::elsewhere
        c1r2["2.0.0"]
        c1r1(["4 versions"])
        c1r0[["2.1.0 (head)"]]:::head
      end
      c0r5 --> c0r3
      c0r4 -. skips .-> c0r3
      c0r3range>"#62;=1.0.0 #60;1.3.0"] -. skipRange .-> c0r3
      c0r7 == skipRange ==> c0r3
      c0r5 -->|v1| c0r4
      c0r6 --> c0r5
      c0r7 --> c0r6
      c0r8 --> c0r7
      c1r1 --> c1r0
      c1r2 --> c1r1
      c1r3 -. skips .-> c1r2
      c1r10 -->|v1| c1r9
      c1r9 -->|v1| c1r10
      classDef head stroke:#1a5cc0,stroke-width:3px
      classDef skipped stroke-dasharray:2 3
      classDef deprecated stroke:#7a3d9e
      classDef stranded stroke:#b3261e,stroke-dasharray:6 3
      classDef missing stroke-dasharray:2 2,color:#626d7c
      classDef elsewhere stroke-dasharray:2 2,color:#626d7c`,
    ])}\n`,
  );
});

test("as Graphviz, channels are clusters", () => {
  const small = shortGraph("stable: 1.1.0 r=1.0.0 s=0.9.0 sr=<0.9.0; 1.0.0; 0.9.0");
  assert.equal(
    drawDot(pictureOf(small, { rules: "both", path: shortPath(small, "1.0.0") })),
    `${text([
      `
    digraph "p" {
      rankdir=BT;
      fontname="sans-serif";
      node [shape=box, fontname="sans-serif", fontsize=11];
      edge [fontname="sans-serif", fontsize=9];
      subgraph cluster_0 {
        label="stable · default";
        c0r0 [label="1.1.0 (head, to, hop 1)", peripheries=2, color="#1a5cc0"];
        c0r1 [label="1.0.0 (from, direct install only)", style=dotted];
        c0r2 [label="0.9.0 (skipped)", style=dotted];
      }
      c0r1 -> c0r0 [label="replaces", penwidth=3];
      c0r2 -> c0r0 [label="skips", style=dashed];
      c0r0range [shape=note, label="<0.9.0"];
      c0r0range -> c0r0 [style=dotted, label="skipRange"];
    }`,
    ])}\n`,
  );
});

test("the table lists every bundle of every channel shown, folded or not, with upgrades from and to it", () => {
  const rows = tableOf(pictureOf(graph, options));
  assert.equal(
    rows.length,
    graph.channels.reduce((sum, { nodes }) => sum + nodes.length, 0),
  );
  assert.deepEqual(
    rows.find(({ bundle, channel }) => bundle === "p.v1.4.0" && channel === "stable"),
    {
      channel: "stable",
      version: "1.4.0",
      bundle: "p.v1.4.0",
      marks: [],
      from: ["1.3.0 (replaces)"],
      to: ["1.5.0 (replaces)", "1.4.1 (replaces, v1)"],
    },
  );
});
