import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import { unfinishedUpgrades } from "./replaced-operators.ts";

/** `NAME[<REPLACED][ PHASE]` */
function csvOf(text: string): ClusterServiceVersion {
  const [, name, replaces, phase] = /^(\w+)(?:<(\w+))?(?: (\w+))?$/.exec(text) ?? [];
  return {
    metadata: { name },
    spec: replaces === undefined ? {} : { replaces },
    ...(phase === undefined ? {} : { status: { phase } }),
  } as unknown as ClusterServiceVersion;
}
const subscriptionAt = (installedCSV: string | undefined): Subscription =>
  (installedCSV === undefined ? {} : { status: { installedCSV } }) as unknown as Subscription;

for (const [what, csvs, installed, failForward, replaced, upgrading] of [
  ["nothing while one CSV is installed", ["a"], ["a"], false, [], []],
  ["a CSV that the installed one replaces", ["a", "b<a"], ["b"], false, ["a"], ["b"]],
  ["all that it replaces through others", ["c<b", "a", "b<a"], ["c"], false, ["a", "b"], ["c"]],
  ["nothing of a CSV that no Subscription has", ["a", "b<a"], ["a"], false, [], []],
  ["nothing of one that another Subscription has", ["a", "b<a"], ["a", "b"], false, [], []],
  ["nothing of CSVs that replace each other", ["a<c", "b<a", "c<a"], ["b"], false, [], []],
  ["nothing of other CSVs", ["x", "a", "b<a"], ["b"], false, ["a"], ["b"]],
  ["nothing for Subscriptions without a CSV", ["", "a"], [undefined, ""], false, [], []],
  ["an upgrade that failed", ["a Replacing", "b<a Failed"], ["b"], false, ["a"], ["b"]],
  ["one that failed, which may be left, where that is allowed", ["a Replacing", "b<a Failed"], ["b"], true, ["a"], []],
  ["one that goes on where failed ones may be left", ["a Replacing", "b<a Pending"], ["b"], true, ["a"], ["b"]],
  ["one of which the former CSV is not being replaced yet", ["a Succeeded", "b<a Failed"], ["b"], true, ["a"], ["b"]],
] as const)
  test(`upgrades under way are ${what}`, () => {
    const found = unfinishedUpgrades(csvs.map(csvOf), installed.map(subscriptionAt), failForward);
    assert.deepEqual([[...found.replaced].toSorted(), [...found.upgrading]], [replaced, upgrading]);
  });
