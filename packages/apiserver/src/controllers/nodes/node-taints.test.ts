import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { repairedTaints } from "./node-taints.ts";

const now = "2026-01-01T00:00:00Z";
const ready = { type: "Ready", status: "True" };
const taint = (name: string, more: JsonObject = {}): JsonObject => ({
  key: `node.kubernetes.io/${name}`,
  effect: "NoSchedule",
  ...more,
});
const added = (name: string): JsonObject => taint(name, { timeAdded: now });

for (const [what, spec, conditions, expected] of [
  ["a ready node needs none", {}, [ready], undefined],
  ["a node without Ready condition", {}, [], [added("not-ready")]],
  ["a node that is not ready", {}, [{ type: "Ready", status: "False" }], [added("not-ready")]],
  ["a node whose Ready condition is Unknown", {}, [{ type: "Ready", status: "Unknown" }], [added("unreachable")]],
  ["a node under pressure", {}, [ready, { type: "DiskPressure", status: "True" }], [added("disk-pressure")]],
  ["a cordon", { unschedulable: true }, [ready], [added("unschedulable")]],
  ["an existing taint is kept", { unschedulable: true, taints: [taint("unschedulable")] }, [ready], undefined],
  [
    "a taint whose condition has ended is removed",
    { taints: [taint("not-ready"), { key: "k", effect: "NoSchedule" }] },
    [ready],
    [{ key: "k", effect: "NoSchedule" }],
  ],
  ["a NoExecute taint is left alone", { taints: [taint("not-ready", { effect: "NoExecute" })] }, [ready], undefined],
] as const satisfies readonly (readonly [
  string,
  JsonObject,
  readonly JsonObject[],
  readonly JsonObject[] | undefined,
])[])
  test(what, () => {
    const node = { kind: "Node", apiVersion: "v1", metadata: { name: "n" }, spec, status: { conditions } };
    assert.deepEqual(repairedTaints(node as unknown as KubeObject, now), expected);
  });
