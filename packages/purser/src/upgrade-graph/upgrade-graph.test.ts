import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChannelEntry } from "./channel-entry.ts";
import { channelHeads, channelOrder } from "./channel-order.ts";
import { shortestPath } from "./paths.ts";
import { edgeFrom, installedFrom } from "./successors.ts";

/** `c 1.2.0 r=b s=a,x sr=<1.0.0`, entries divided by `;`. */
function entriesOf(text: string): ChannelEntry[] {
  return text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const value = (key: string): string | undefined => new RegExp(` ${key}=(.*?)(?= \\w+=|$)`).exec(part)?.[1];
      const [name = "", second = ""] = part.split(" ");
      return {
        name,
        version: /^\d/.test(second) ? second : "0.0.0",
        replaces: value("r"),
        skips: value("s")?.split(",") ?? [],
        skipRange: value("sr"),
      };
    });
}

test("a channel is ordered along its replacement chain, or has no order", () => {
  const cases: readonly (readonly [entries: string, order: string])[] = [
    ["b; a r=b", "a b"],
    ["", ""],
    ["a r=b; b r=a", 'no channel heads (entries not replaced by another entry) found in channel "c" of package "p"'],
    [
      "a r=b; b r=c; c r=b",
      'a cycle exists in the chain of replacement beginning with "a" in channel "c" of package "p"',
    ],
    ["a r=b s=b; b", "a"],
    ["a r=b s=c; b r=c; c", "a b"],
    [
      "a; b r=c; c",
      'a unique replacement chain within a channel is required to determine the relative order between channel entries, but 2 replacement chains were found in channel "c" of package "p": a, b...c',
    ],
    ["a r=a", 'no channel heads (entries not replaced by another entry) found in channel "c" of package "p"'],
    ["a r=gone s=missing", "a"],
    ["constructor r=__proto__; __proto__", "constructor __proto__"],
  ];
  for (const [text, expected] of cases) {
    const order = channelOrder(entriesOf(text), "c", "p");
    assert.equal(order.ok ? order.value.map(({ name }) => name).join(" ") : order.problem.message, expected, text);
  }
});

test("heads are the entries that nothing replaces or skips", () => {
  assert.deepEqual(
    channelHeads(entriesOf("a; b r=a; c s=b; d")).map(({ name }) => name),
    ["c", "d"],
  );
});

test("edges come from replaces, skips and skip ranges; of several kinds the strongest is used", () => {
  const entries = entriesOf("a 1.0.0; b 1.1.0 r=a s=a sr=<1.1.0; c 1.2.0 s=a sr=>=1.1.0 <1.2.0; d 2.0.0 sr=nonsense");
  assert.deepEqual(
    entries.flatMap((from) =>
      entries.flatMap((to) => {
        const kind = to === from ? undefined : edgeFrom(to, installedFrom(from));
        return kind === undefined ? [] : [`${from.name}>${to.name} ${kind}`];
      }),
    ),
    ["a>b replaces", "a>c skips", "b>c skipRange"],
  );
});

test("returns the path with the fewest hops, and undefined when there is no path", () => {
  const entries = entriesOf("a 1.0.0; b 1.1.0 r=a; c 1.2.0 r=b; d 1.3.0 r=c s=b; e 2.0.0");
  const path = (from: string, to: string): string | undefined =>
    shortestPath(entries, installedFrom(entries.find(({ name }) => name === from)!), to)
      ?.map((edge) => edge.to)
      .join(" ");
  assert.equal(path("a", "d"), "b d");
  assert.equal(path("a", "c"), "b c");
  assert.equal(path("a", "a"), "");
  assert.equal(path("a", "e"), undefined);
  assert.equal(path("d", "a"), undefined);
});
