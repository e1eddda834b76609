import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { RollbackPlan } from "./rollback-plan.ts";
import { rollbackLines } from "./rollback-text.ts";

const digest = digestOf("plan");
const nothing = { objects: [], crds: [], permissions: [], images: [], webhooks: [], downtime: [] };
const changes = {
  digest,
  inputs: {},
  installation: "sub/ns/op",
  from: { name: "op.v2", version: "2.0.0" },
  to: { name: "op.v1", version: "1.0.0" },
  hops: [{ from: "2.0.0", to: "1.0.0", changes: nothing }],
  total: nothing,
  dependencies: [],
  deprecations: [],
};
const painted = (losses: readonly string[], notes: readonly string[]): readonly string[] =>
  rollbackLines({ changes, losses, notes } as unknown as RollbackPlan, false).map(
    ({ meaning = "", text }) => `${meaning}|${text}`,
  );
const rest = [
  `strong|Changes of sub/ns/op: 2.0.0 -> 1.0.0    ${digest}`,
  "|  objects     none",
  "|  permissions unchanged",
  "|  images      unchanged",
];

test("what a rollback cannot undo comes first, then what to know, then the changes", () => {
  assert.deepEqual(painted(["3 Things are deleted"], ["pods restart"]), [
    "bad|Cannot be undone",
    "bad|  ! 3 Things are deleted",
    "attention|  pods restart",
    ...rest,
  ]);
  assert.deepEqual(painted([], []), ["good|Nothing is lost by the rollback", ...rest]);
});
