import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn } from "../kinds/decoding/json-parts.ts";
import { deletionOrder, scaleDownOrder } from "./deletion-order.ts";

const nowMs = Date.parse("2026-01-01T02:00:00Z");
const at = (minutesAgo: number): string => new Date(nowMs - minutesAgo * 60_000).toISOString();
const ready = (minutesAgo: number): JsonObject => ({
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(minutesAgo) }],
});

/** A running and ready pod, with `more` merged in. */
function pod(name: string, more: JsonObject = {}): Pod {
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, uid: name, creationTimestamp: at(64), ...objectIn(more, "metadata") },
    spec: { containers: [], nodeName: "n", ...objectIn(more, "spec") },
    status: { phase: "Running", ...ready(60), ...objectIn(more, "status") },
  } as unknown as Pod;
}

const cost = (value: string): JsonObject => ({
  annotations: { "controller.kubernetes.io/pod-deletion-cost": value },
});
const restarted = (restartCount: number): JsonObject => ({ containerStatuses: [{ name: "c", restartCount }] });
const sidecar = { initContainers: [{ name: "s", restartPolicy: "Always" }] } as unknown as JsonObject;

// Each row: the pod that is deleted first, the one that is kept, and the controllers that the rule applies to.
for (const [what, first, second, holds] of [
  ["without a node", { spec: { nodeName: "" } }, {}, "both"],
  ["pending", { status: { phase: "Pending" } }, { status: { phase: "Unknown" } }, "both"],
  ["not ready", { status: { conditions: [] } }, {}, "both"],
  ["not ready, despite a higher deletion cost", { status: { conditions: [] }, metadata: cost("9") }, {}, "sets"],
  ["of lower deletion cost", { metadata: cost("-10") }, { metadata: cost("-9") }, "sets"],
  ["without a deletion cost, where the other's is positive", {}, { metadata: cost("1") }, "sets"],
  ["on the fuller node, though it is ready for longer", {}, { spec: { nodeName: "m" }, status: ready(1) }, "sets"],
  ["ready for a short time", { status: ready(5) }, { status: ready(30) }, "both"],
  ["ready for a little less, for jobs", { status: ready(59) }, { status: ready(60) }, "jobs"],
  ["of the smaller uid when both are ready for about as long", {}, { status: ready(59) }, "sets"],
  ["restarted most often", { status: restarted(2) }, { status: restarted(1) }, "both"],
  [
    "whose sidecar was restarted",
    { spec: sidecar, status: { initContainerStatuses: [{ name: "s", restartCount: 1 }] } },
    { status: { initContainerStatuses: [{ name: "s", restartCount: 5 }] } },
    "both",
  ],
  ["created last", { metadata: { creationTimestamp: at(3) } }, {}, "both"],
] as const satisfies readonly (readonly [string, JsonObject, JsonObject, "both" | "jobs" | "sets"])[])
  test(`deletes first the pod that is ${what}`, () => {
    const [a, b] = [pod("a", first), pod("b", second)];
    const others = [pod("c"), pod("d", { metadata: { deletionTimestamp: at(0) }, spec: { nodeName: "m" } })];
    const forSets = scaleDownOrder([a, b, ...others], nowMs);
    for (const order of holds === "both" ? [forSets, deletionOrder] : [holds === "sets" ? forSets : deletionOrder]) {
      assert.ok(order(a, b) < 0);
      assert.ok(order(b, a) > 0);
    }
  });

test("equal pods keep their order", () => {
  const [a, b] = [pod("a"), pod("b")];
  assert.equal(scaleDownOrder([a, b], nowMs)(a, b), 0);
  assert.equal(deletionOrder(a, b), 0);
});
