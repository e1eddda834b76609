import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenBundles } from "../../../apis/policy/update-policy.ts";
import { type Offer, recordedOffers } from "./first-seen.ts";

const now = Date.parse("2026-11-23T12:00:00.700Z");
const today = "2026-11-23T12:00:00Z";
const before = "2026-11-01T00:00:00Z";
const etcd = (bundles: readonly string[], isComplete = true): Offer => ({ packageName: "etcd", bundles, isComplete });
const seen = (at: string, ...bundles: readonly string[]): SeenBundles => ({ package: "etcd", at, bundles });

for (const [what, record, offers, expected] of [
  ["a version that is offered for the first time", [], [etcd(["b", "a"])], [seen(today, "a", "b")]],
  [
    "a new version beside an older one, whose time stays",
    [seen(before, "a")],
    [etcd(["a", "b"])],
    [seen(before, "a"), seen(today, "b")],
  ],
  ["no version that the catalogs no longer offer", [seen(before, "a", "b")], [etcd(["b"])], [seen(before, "b")]],
  [
    "all that it had while a catalog cannot be read",
    [seen(before, "a")],
    [etcd([], false), etcd(["b"])],
    [seen(before, "a"), seen(today, "b")],
  ],
  ["what any of several installations is offered", [seen(before, "a")], [etcd(["a"]), etcd([])], [seen(before, "a")]],
  ["nothing of a package that nobody installs any more", [seen(before, "a")], [], []],
  [
    "a version of the same name in another package",
    [{ ...seen(before, "a"), package: "kiln" }],
    [etcd(["a"]), { ...etcd(["a"]), packageName: "kiln" }],
    [seen(today, "a"), { ...seen(before, "a"), package: "kiln" }],
  ],
] satisfies [string, SeenBundles[], Offer[], SeenBundles[]][])
  test(`the record of a policy holds ${what}`, () => {
    assert.deepEqual(recordedOffers(record, offers, now), expected);
  });

test("the record holds at most 2000 bundles, and those it had stay", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${String(index).padStart(5, "0")}`);
  const many = recordedOffers([seen(before, "z")], [etcd(["z", ...names(2_500)])], now);
  assert.deepEqual(
    many.map(({ at, bundles }) => [at, bundles.length]),
    [
      [before, 1],
      [today, 1_999],
    ],
  );
});
