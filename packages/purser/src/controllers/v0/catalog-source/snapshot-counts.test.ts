import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { Counters } from "@purser/kubernetes/kube/counters";
import { SnapshotCounts } from "./snapshot-counts.ts";

const demo = { namespace: "olm", name: "demo" };
const [first, second] = [digestOf("first"), digestOf("second")];

function counted(feed: (counts: SnapshotCounts) => void): readonly string[] {
  const metrics = new Counters();
  feed(new SnapshotCounts(metrics));
  return metrics.snapshot().map(({ name, labels, value }) => `${name} ${JSON.stringify(labels)} ${value}`);
}

test("each new content of a CatalogSource counts once, and what cannot be read does not count", () => {
  const shown = counted((counts) => {
    for (const digest of [undefined, first, first, undefined, first, second]) counts.holds(demo, digest);
  });
  assert.deepEqual(shown, ['catalog_source_snapshots_total {"namespace":"olm","name":"demo"} 2']);
});

test("CatalogSources are counted apart, and one that is created again is counted anew", () => {
  const shown = counted((counts) => {
    counts.holds(demo, first);
    counts.holds({ ...demo, name: "other" }, first);
    counts.forget(demo);
    counts.holds(demo, first);
  });
  assert.deepEqual(shown, [
    'catalog_source_snapshots_total {"namespace":"olm","name":"demo"} 2',
    'catalog_source_snapshots_total {"namespace":"olm","name":"other"} 1',
  ]);
});
