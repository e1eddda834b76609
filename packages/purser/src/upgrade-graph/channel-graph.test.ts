import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChannelGraph } from "./channel-graph.ts";
import { shortPackage } from "./testing/short-package.ts";
import { upgradeGraph } from "./upgrade-graph.ts";

const short = (name: string): string => name.replace(/^p\.v/, "");

/** The marks of all nodes that have any: `1.0.0 head; 0.9.0 skipped`. */
function marksOf(channel: ChannelGraph | undefined): string {
  return (channel?.nodes ?? [])
    .flatMap(({ name, kind, isHead, skippedBy, stranded, directOnly }) => {
      const words = [
        ...(kind === "entry" ? [] : [kind]),
        ...(isHead ? ["head"] : []),
        ...(skippedBy.length > 0 ? ["skipped"] : []),
        ...(stranded === "none" ? [] : [`stranded:${stranded}`]),
        ...(directOnly === "none" ? [] : [`direct:${directOnly}`]),
      ];
      return words.length === 0 ? [] : [`${short(name)} ${words.join(" ")}`];
    })
    .sort()
    .join("; ");
}

const marks: readonly (readonly [rule: string, channel: string, expected: string])[] = [
  ["a chain has a head and nothing else to say", "c: 1.2.0 r=1.1.0; 1.1.0 r=1.0.0; 1.0.0", "1.2.0 head"],
  [
    "what leads only to a skipped entry is stranded for OLM v0",
    "c: 1.0.0 s=1.2.0; 1.2.0 s=1.1.0; 1.1.0",
    "1.0.0 head; 1.1.0 skipped stranded:v0; 1.2.0 skipped",
  ],
  [
    "several heads are all heads",
    "c: 1.1.0 r=1.0.0; 1.0.0; 0.9.0 s=0.1.0; 0.1.0",
    "0.1.0 skipped; 0.9.0 head; 1.0.0 direct:both; 1.1.0 head",
  ],
  ["a skipped entry leads on", "c: 1.2.0 r=1.0.0 s=1.1.0; 1.1.0 r=1.0.0; 1.0.0", "1.1.0 skipped; 1.2.0 head"],
  [
    "OLM v0 never upgrades through a skipped entry",
    "c: 1.2.0 r=1.1.0 s=1.1.0; 1.1.0 r=1.0.0; 1.0.0",
    "1.0.0 stranded:v0; 1.1.0 skipped; 1.2.0 head",
  ],
  [
    "a cycle beside the head is stranded under both rules",
    "c: 1.2.0 r=1.1.0; 1.1.0; 0.2.0 r=0.1.0; 0.1.0 r=0.2.0",
    "0.1.0 stranded:both; 0.2.0 stranded:both direct:v0; 1.1.0 direct:both; 1.2.0 head",
  ],
  [
    "a name without bundle is missing",
    "c: 1.2.0 r=1.1.0 s=1.0.0; 1.1.0 gone",
    "1.0.0 missing skipped; 1.1.0 missing; 1.2.0 head",
  ],
  [
    "a range leads to a head from what it covers",
    "c: 1.2.0 sr=>=1.0.0 <1.2.0; 1.1.0 s=0.1.0; 0.1.0",
    "0.1.0 skipped; 1.1.0 head; 1.2.0 head",
  ],
  [
    "nothing but the oldest may lack an edge to it unnoticed",
    "c: 1.2.0 s=1.1.0 r=1.0.0; 1.1.0; 1.0.0; 0.9.0 r=1.2.0",
    "0.9.0 head; 1.0.0 direct:both; 1.1.0 skipped",
  ],
  ["without head nothing is called stranded", "c: 1.1.0 r=1.0.0; 1.0.0 r=1.1.0", ""],
];

for (const [rule, text, expected] of marks) {
  test(rule, () => {
    const [channel] = upgradeGraph(shortPackage(text)).channels;
    assert.equal(marksOf(channel), expected);
  });
}

test("a bundle of another channel is reported differently from one that is not in the catalog", () => {
  const [stable] = upgradeGraph(shortPackage("stable: 2.0.0 r=1.0.0 s=0.9.0 | old: 1.0.0")).channels;
  assert.equal(marksOf(stable), "0.9.0 missing skipped; 1.0.0 elsewhere; 2.0.0 head");
});

test("contradictions of a channel are kept and named, with OLM v0's message", () => {
  const cases: readonly (readonly [text: string, problems: string, refusal: RegExp | undefined])[] = [
    ["c: 1.1.0 r=1.0.0; 1.0.0; 0.9.0", "severalHeads p.v0.9.0 p.v1.1.0", /2 replacement chains were found/],
    ["c: 1.1.0 r=1.0.0; 1.0.0 r=1.1.0", "noHead; cycle p.v1.1.0 p.v1.0.0", /no channel heads/],
    ["c: 1.2.0 r=1.1.0; 1.1.0 r=1.0.0; 1.0.0 r=1.1.0", "cycle p.v1.1.0 p.v1.0.0", /a cycle exists/],
    ["c: 1.0.0; 1.0.0", "duplicateEntry p.v1.0.0", undefined],
    ["c: 1.0.0 sr=nonsense", "unreadableRange p.v1.0.0", undefined],
    ["c: 1.1.0 r=1.1.0", "noHead; cycle p.v1.1.0", /no channel heads/],
  ];
  for (const [text, problems, refusal] of cases) {
    const [channel] = upgradeGraph(shortPackage(text)).channels;
    assert.equal(channel?.problems.map(({ kind, entries }) => [kind, ...entries].join(" ")).join("; "), problems, text);
    if (refusal === undefined) assert.equal(channel?.refusal, undefined, text);
    else assert.match(channel?.refusal?.message ?? "", refusal, text);
  }
});

test("each declaration is one link with its kind, its rules and the place of its entry", () => {
  const [channel] = upgradeGraph(
    shortPackage("c: 1.2.0 r=1.0.0 s=1.1.0; 1.1.0 r=1.0.0 sr=>=0.9.0 <1.1.0; 1.0.0; 0.9.5 gone"),
  ).channels;
  assert.deepEqual(
    channel?.links.map(({ kind, to, from, rules, range, place }) => [
      kind,
      short(to),
      from.map(short),
      rules,
      range,
      place?.line,
    ]),
    [
      ["replaces", "1.2.0", ["1.0.0"], "both", undefined, 1],
      ["skips", "1.2.0", ["1.1.0"], "both", undefined, 1],
      ["replaces", "1.1.0", ["1.0.0"], "v1", undefined, 2],
      ["skipRange", "1.1.0", ["1.0.0"], "v1", ">=0.9.0 <1.1.0", 2],
    ],
  );
});

test("bundles are sorted newest first with release and build metadata, names without version last", () => {
  const graph = upgradeGraph({
    name: "p",
    defaultChannel: "b",
    bundles: [
      { name: "one", version: "1.0.0" },
      { name: "two", version: "1.0.0+2" },
      { name: "ten", version: "1.0.0", release: "10" },
      { name: "pre", version: "1.0.0-rc.1" },
      { name: "odd", version: undefined },
      { name: "__proto__", version: "0.1.0" },
    ],
    channels: [
      { name: "a", entries: [{ name: "ten", skips: [], replaces: "ghost.v2.0.0" }] },
      { name: "b", entries: [{ name: "__proto__", skips: [], replaces: "constructor" }] },
    ],
  });
  assert.deepEqual(
    graph.bundles.map(({ name, kind }) => (kind === "missing" ? `${name}?` : name)),
    ["ghost.v2.0.0?", "ten", "two", "one", "pre", "__proto__", "constructor?", "odd"],
  );
  assert.deepEqual(
    graph.channels.map(({ name }) => name),
    ["b", "a"],
  );
});
