import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { ClusterCatalog } from "../../../../apis/v1/cluster-catalog.ts";
import type { ContentState } from "../../../../catalog/content.ts";
import { planClusterCatalog } from "./plan-cluster-catalog.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const time = "2026-01-01T00:00:00Z";
const digest = digestOf("a");
const fresh: ClusterCatalog = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterCatalog",
  metadata: {
    name: "cat",
    labels: { "olm.operatorframework.io/metadata.name": "cat" },
    finalizers: ["olm.operatorframework.io/delete-server-cache"],
  },
  spec: { source: { type: "Image", image: { ref: "example.com/cat:v1" } } },
};
const off: ClusterCatalog = { ...fresh, spec: { ...fresh.spec, availabilityMode: "Unavailable" } };
const why = { cause: "no such image", remedy: "Push it." };

function passed(catalog: ClusterCatalog, content: ContentState | undefined, now = start): ClusterCatalog {
  for (const action of planClusterCatalog({ catalog, content, origin: "https://here" }, now).actions)
    if (action.kind === "status") return { ...catalog, status: action.status };
  return catalog;
}
const shown = ({ status }: ClusterCatalog): readonly string[] =>
  (status?.conditions ?? []).flatMap(({ type, status: value, reason, message }) =>
    ["Ready", "Reconciling", "Stalled"].includes(type) && value === "True" ? [`${type} ${reason}: ${message}`] : [],
  );

const ready = passed(fresh, { kind: "ready", digest });
const readyText = "Ready Succeeded: Successfully unpacked and stored content from resolved source";
const offText = "Ready UserSpecifiedUnavailable: Catalog availability mode is set to Unavailable";
const reading = "Reading: source catalog content: example.com/cat:v1 is being read";
const table: readonly (readonly [string, ClusterCatalog, readonly string[]])[] = [
  ["that is read", ready, [readyText]],
  ["that is being read", passed(fresh, { kind: "pending", since: start }), [`Reconciling ${reading}`]],
  [
    "that is read again while its former content serves",
    passed(ready, { kind: "pending", since: start - 20_000, lastGood: digest }),
    [`Ready ${reading}`, `Reconciling ${reading}`],
  ],
  [
    "that cannot be pulled",
    passed(fresh, { kind: "failing", ...why, since: start, retryAt: start + 60_000 }),
    [`Stalled CatalogUnavailable: stuckSince ${time}; blockedBy no such image; nextRetry at 2026-01-01T00:01:00Z`],
  ],
  [
    "that waits for a change of its source",
    passed(fresh, { kind: "failing", ...why, since: start }),
    [`Stalled CatalogUnavailable: stuckSince ${time}; blockedBy no such image; nextRetry when the source changes`],
  ],
  [
    "whose signature is refused while its former content serves",
    passed(ready, { kind: "refused", ...why, code: "SignatureRejected", lastGood: digest }),
    [
      "Ready SignatureRejected: no such image",
      `Stalled SignatureRejected: stuckSince ${time}; blockedBy no such image; nextRetry when the spec changes`,
    ],
  ],
  ["that is switched off", passed(off, undefined), [offText]],
  ["that is switched off while it serves", passed({ ...ready, spec: off.spec }, undefined), [offText]],
  [
    "that is switched off while it cannot be pulled",
    passed({ ...passed(fresh, { kind: "failing", ...why, since: start }), spec: off.spec }, undefined),
    [offText],
  ],
  [
    "that is switched on again",
    passed({ ...passed(off, undefined), spec: fresh.spec }, { kind: "pending", since: start }),
    [`Reconciling ${reading}`],
  ],
];
for (const [what, catalog, expected] of table)
  test(`a catalog ${what} shows what it waits for`, () => assert.deepEqual(shown(catalog), expected));

test("a catalog that a new process begins to read is not written while its former content is found", () => {
  const content: ContentState = { kind: "pending", since: start, lastGood: digest };
  const world = { catalog: ready, content, faults: [], origin: "https://here" };
  assert.deepEqual(planClusterCatalog(world, start).actions, []);
});

test("a catalog whose state lasts is not written again", () => {
  assert.equal(passed(ready, { kind: "ready", digest }, start + 60_000), ready);
  const failing: ContentState = { kind: "failing", ...why, since: start };
  const stalled = passed(fresh, failing);
  assert.equal(passed(stalled, failing, start + 60_000), stalled);
});
