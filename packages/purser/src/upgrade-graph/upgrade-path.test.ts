import fc from "fast-check";
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseVersion } from "@purser/kubernetes/version";
import { parseBlangRange } from "../version-range.ts";
import { channelOrder } from "./channel-order.ts";
import { causeWords, wayOutWords } from "./path-words.ts";
import type { PathRequest } from "./scope.ts";
import { named, shortPackage } from "./testing/short-package.ts";
import { edgeFrom } from "./successors.ts";
import { nextUnattended } from "./unattended.ts";
import { installedOf, scopeOf } from "./scope.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";
import { upgradeGraph } from "./upgrade-graph.ts";
import { findPath } from "./upgrade-path.ts";

const short = (name: string): string => name.replace(/^p\.v/, "");

/** `1.0.0>1.1.0 replaces, 1.1.0>1.2.0 skips`, with what happens unattended when that differs; or the cause. */
function pathText(graph: UpgradeGraph, request: PathRequest): string {
  const answer = findPath(graph, request);
  if (answer.kind === "noPath")
    return [
      `none: ${causeWords(graph, request, answer)}`,
      ...answer.waysOut.map((way) => wayOutWords(graph, way)),
    ].join(" / ");
  const hops = answer.hops.map(({ from, to, kind }) => `${short(from)}>${short(to)} ${kind}`).join(", ");
  return answer.unattended === "follows"
    ? hops
    : `${hops} (alone: ${short(answer.unattended.goesTo)} in ${answer.unattended.hops.length})`;
}

const branch = "stable: 1.4.0 r=1.2.0 s=1.3.0; 1.3.0 r=1.2.0; 1.2.0 r=1.1.0; 1.1.0 sr=>=0.9.0 <1.1.0";

const paths: readonly (readonly [
  rule: string,
  text: string,
  rules: "v0" | "v1",
  from: string,
  to: string | undefined,
  channel: string | undefined,
  told: string,
])[] = [
  [
    "upgrades lead to the head",
    branch,
    "v0",
    "1.1.0",
    undefined,
    undefined,
    "1.1.0>1.2.0 replaces, 1.2.0>1.4.0 replaces",
  ],
  [
    "a range leads on from what it covers",
    branch,
    "v0",
    "1.0.0",
    "1.2.0",
    undefined,
    "1.0.0>1.1.0 skipRange, 1.1.0>1.2.0 replaces",
  ],
  ["what is at the head has nothing to do", branch, "v0", "1.4.0", undefined, undefined, ""],
  [
    "OLM v0 passes a skipped version over",
    branch,
    "v0",
    "1.2.0",
    "1.3.0",
    undefined,
    "none: 1.4.0 skips 1.3.0, so OLM v0 never chooses it / OLM v1 reaches 1.3.0 in 1 hop / in the catalog: remove p.v1.3.0 from the skips of p.v1.4.0",
  ],
  [
    "OLM v1 takes a skipped version when it is asked for",
    branch,
    "v1",
    "1.2.0",
    "1.3.0",
    undefined,
    "1.2.0>1.3.0 replaces (alone: 1.4.0 in 1)",
  ],
  [
    "a version that nothing follows on",
    branch,
    "v0",
    "1.5.0",
    undefined,
    undefined,
    "none: nothing in channel stable replaces, skips or ranges over 1.5.0; the target is older than what is installed",
  ],
  [
    "upgrades that end before the target",
    "c: 1.3.0; 1.2.0 r=1.1.0; 1.1.0 r=1.0.0; 1.0.0 s=1.3.0",
    "v1",
    "1.1.0",
    "1.3.0",
    undefined,
    "none: upgrades end at 1.2.0 (1 hop), from which no upgrade reaches the target / in the catalog: let 1.3.0 in channel c skip p.v1.2.0, or cover its version by skipRange",
  ],
  [
    "a target in another channel only",
    "stable: 1.0.0 | fast: 1.1.0 r=1.0.0",
    "v0",
    "1.0.0",
    "1.1.0",
    undefined,
    "none: 1.1.0 is not in channel stable, but in fast / channel fast leads to 1.1.0 in 1 hop / OLM v1 reaches 1.1.0 in 1 hop",
  ],
  [
    "a channel of its own",
    "stable: 1.0.0 | fast: 1.1.0 r=1.0.0",
    "v0",
    "1.0.0",
    "1.1.0",
    "fast",
    "1.0.0>1.1.0 replaces",
  ],
  [
    "a channel that OLM v0 refuses",
    "c: 1.1.0 r=1.0.0; 1.0.0 r=1.1.0",
    "v0",
    "1.0.0",
    "1.1.0",
    undefined,
    'none: OLM v0 cannot use channel c: no channel heads (entries not replaced by another entry) found in channel "c" of package "p" / OLM v1 reaches 1.1.0 in 1 hop',
  ],
  [
    "a target that only is named",
    "c: 1.1.0 r=1.0.0",
    "v1",
    "1.1.0",
    "1.0.0",
    undefined,
    "none: 1.0.0 is named by entries, but is not in the catalog; the target is older than what is installed",
  ],
  [
    "a bundle that is not in the catalog can still be upgraded by its name",
    "c: 1.1.0 r=1.0.0",
    "v0",
    "1.0.0",
    undefined,
    undefined,
    "1.0.0>1.1.0 replaces",
  ],
  [
    "OLM v1 stays where the edge leads to a lower version",
    "c: 1.0.1-1 r=1.0.1; 1.0.1",
    "v1",
    "1.0.1",
    undefined,
    undefined,
    "1.0.1>1.0.1-1 replaces (alone: 1.0.1 in 0)",
  ],
  [
    "OLM v0 follows an edge to a lower version",
    "c: 1.0.1-1 r=1.0.1; 1.0.1",
    "v0",
    "1.0.1",
    undefined,
    undefined,
    "1.0.1>1.0.1-1 replaces",
  ],
  [
    "OLM v0 takes what is nearest to the head, OLM v1 what is newest",
    "c: 1.1.0 r=2.0.0; 2.0.0 s=1.0.0; 1.0.0",
    "v1",
    "1.0.0",
    "2.0.0",
    undefined,
    "1.0.0>2.0.0 skips",
  ],
  [
    "OLM v1 leaves a deprecated version for one that is not",
    "c: 1.2.0 r=1.1.0 s=1.0.0 dep; 1.1.0 r=1.0.0; 1.0.0",
    "v1",
    "1.0.0",
    undefined,
    undefined,
    "1.0.0>1.2.0 skips (alone: 1.1.0 in 1)",
  ],
];

for (const [rule, text, rules, from, to, channel, expected] of paths) {
  test(`${rule}: ${rules} from ${from} to ${to ?? "the head"}`, () => {
    const graph = upgradeGraph(shortPackage(text));
    const request = {
      rules,
      channel,
      from: { name: named(from), version: from },
      to: to === undefined ? undefined : named(to),
    };
    assert.equal(pathText(graph, request), expected);
  });
}

test("OLM v1 does not upgrade from a version that is not a semantic version", () => {
  const graph = upgradeGraph({
    name: "p",
    defaultChannel: "c",
    bundles: [
      { name: "b", version: "1.1.0" },
      { name: "a", version: "1.0" },
    ],
    channels: [
      {
        name: "c",
        entries: [
          { name: "b", replaces: "a", skips: [] },
          { name: "a", skips: [] },
        ],
      },
    ],
  });
  const from = { name: "a", version: "1.0" };
  assert.equal(
    pathText(graph, { rules: "v1", from }),
    "none: OLM v1 upgrades from semantic versions only, and a has 1.0 / OLM v0 reaches 1.1.0 in 1 hop",
  );
  assert.equal(pathText(graph, { rules: "v0", from }), "a>b replaces");
});

test("a package without channels has no path", () => {
  const graph = upgradeGraph({ name: "p", defaultChannel: "", bundles: [], channels: [] });
  assert.equal(
    pathText(graph, { rules: "v0", from: { name: "a", version: "1.0.0" } }),
    "none: there is no channel to upgrade in",
  );
});

const versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "2.0.0", "2.1.0"];
const ranges = ["<1.1.0", ">=1.0.0 <1.3.0", ">=1.2.0", "1.1.0 || 2.0.0", "not a range"];
const someVersion = fc.constantFrom(...versions);
const someEntries = fc.uniqueArray(
  fc.record({
    version: someVersion,
    replaces: fc.option(someVersion, { nil: undefined }),
    skips: fc.uniqueArray(someVersion, { maxLength: 3 }),
    skipRange: fc.option(fc.constantFrom(...ranges), { nil: undefined }),
  }),
  { selector: ({ version }) => version, minLength: 1, maxLength: versions.length },
);
const somePackage = fc.array(someEntries, { minLength: 1, maxLength: 3 }).map((channels) =>
  upgradeGraph({
    name: "p",
    defaultChannel: "c0",
    bundles: versions.map((version) => ({ name: named(version), version })),
    channels: channels.map((entries, index) => ({
      name: `c${index}`,
      entries: entries.map(({ version, replaces, skips, skipRange }) => ({
        name: named(version),
        replaces: replaces === undefined ? undefined : named(replaces),
        skips: skips.map(named),
        skipRange,
      })),
    })),
  }),
);

/** Whether one upgrade leads from one to the other: a second, independent implementation of the rules of OLM v0 and v1. */
function leads(graph: UpgradeGraph, { rules, channel }: PathRequest, from: string, to: string): boolean {
  if (from === to) return false;
  const read = graph.channels.filter(({ name, isDefault }) =>
    channel === undefined ? rules === "v1" || isDefault : name === channel,
  );
  return read.some(({ entries, name }) => {
    const order = channelOrder(entries, name, "p");
    const allowed = rules === "v1" ? entries : order.ok ? order.value : [];
    return allowed.some((entry) => {
      if (entry.name !== to) return false;
      const range = parseBlangRange(entry.skipRange ?? "");
      const version = parseVersion(short(from));
      return (
        entry.replaces === from ||
        entry.skips.includes(from) ||
        (range.ok && entry.skipRange !== undefined && version.ok && range.value.includes(version.value))
      );
    });
  });
}

test("a path exists exactly where repeated single upgrades lead, and each of its hops is a single upgrade", () => {
  fc.assert(
    fc.property(
      somePackage,
      fc.constantFrom("v0", "v1"),
      fc.option(fc.constantFrom("c0", "c1"), { nil: undefined }),
      someVersion,
      someVersion,
      (graph, rules, channel, start, end) => {
        const request: PathRequest = { rules, channel, from: { name: named(start), version: start }, to: named(end) };
        const reached = new Set([named(start)]);
        for (const from of reached)
          for (const to of versions.map(named)) if (leads(graph, request, from, to)) reached.add(to);
        const answer = findPath(graph, request);
        const known = graph.channels.some(({ name }) => name === (channel ?? "c0"));
        assert.equal(answer.kind === "path", known ? reached.has(named(end)) : start === end);
        if (answer.kind === "noPath") return;
        let at = named(start);
        for (const { from, to } of answer.hops) {
          assert.equal(from, at);
          assert.ok(leads(graph, request, from, to), `${from} > ${to}`);
          at = to;
        }
        assert.equal(at, named(end));
        assert.equal(new Set(answer.hops.map(({ to }) => to)).size, answer.hops.length);
      },
    ),
    { numRuns: 3000 },
  );
});

test("an entry is stranded exactly when repeated upgrades inside its channel reach no head", () => {
  fc.assert(
    fc.property(somePackage, (graph) => {
      for (const channel of graph.channels)
        for (const node of channel.nodes.filter(({ kind }) => kind === "entry")) {
          for (const rules of ["v0", "v1"] as const) {
            if (channel.heads.length === 0 || (rules === "v0" && channel.refusal !== undefined)) continue;
            const request: PathRequest = {
              rules,
              channel: channel.name,
              from: { name: node.name, version: undefined },
            };
            const reached = new Set([node.name]);
            for (const from of reached)
              for (const { name: to } of channel.entries) if (leads(graph, request, from, to)) reached.add(to);
            const stranded = !channel.heads.some((head) => reached.has(head));
            assert.equal(
              node.stranded === "both" || node.stranded === rules,
              stranded,
              `${channel.name} ${node.name} ${rules}`,
            );
          }
        }
    }),
    { numRuns: 1000 },
  );
});

test("what is taken unattended is one of the single upgrades, and none is taken only where none is better", () => {
  fc.assert(
    fc.property(somePackage, fc.constantFrom("v0", "v1"), someVersion, (graph, rules, start) => {
      const request: PathRequest = { rules, from: { name: named(start), version: start } };
      const scope = scopeOf(graph, rules, undefined);
      const step = nextUnattended(graph, scope, request.from);
      const offered = versions.map(named).filter((to) => leads(graph, request, named(start), to));
      if (step !== undefined) assert.ok(offered.includes(step.entry.name));
      else if (rules === "v0") {
        // An entry whose range contains its own version succeeds itself, before the entries behind it.
        const first = scope.entries.find((entry) => edgeFrom(entry, installedOf(request.from)) !== undefined);
        if (first?.name !== named(start)) assert.deepEqual(offered, []);
      } else assert.ok(offered.every((name) => versions.indexOf(short(name)) <= versions.indexOf(start)));
    }),
    { numRuns: 1000 },
  );
});
