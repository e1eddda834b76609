import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrdChange } from "../change-plan/crd-changes.ts";
import { changePlan, type ReviewedBundle } from "../change-plan/change-plan.ts";
import { rollbackPlan, type RollbackWorld } from "./rollback-plan.ts";

const bundle = (version: string): ReviewedBundle => ({
  name: `kiln.v${version}`,
  version,
  csv: {},
  objects: [],
  granted: [],
  stays: () => false,
  deprecations: [],
});
const plain = changePlan({
  installation: "ext/kiln",
  options: {},
  from: bundle("1.1.0"),
  path: [bundle("1.0.0")],
  dependencies: [],
});

function worldOf(crds: readonly CrdChange[], more: Partial<RollbackWorld> = {}): RollbackWorld {
  const changes = { ...plain, total: { ...plain.total, crds } };
  return { installation: "ext/kiln", changes, wasReady: false, dependents: [], ...more };
}

const crd = (rule: string, stored?: number): CrdChange => ({
  name: "kilns.example.com",
  change: "changed",
  findings: [`${rule}: broken`],
  rules: [rule],
  ...(stored === undefined ? {} : { stored }),
});

const ran = "1.1.0 ran: changes that it made outside of its objects are kept";
for (const [what, world, losses, notes] of [
  ["before the new version was ready", worldOf([]), [], []],
  ["after it was ready", worldOf([], { wasReady: true }), [ran], []],
  ["with a CRD that no object is stored of", worldOf([crd("enum", 0)]), [], []],
  ["with stored objects", worldOf([crd("enum", 2)]), ["kilns.example.com: enum: broken  (2 stored objects)"], []],
  [
    "with objects that may not be counted",
    worldOf([crd("deletion")]),
    ["kilns.example.com: deletion: broken  (stored objects not counted)"],
    [],
  ],
  [
    "with an installation that requires it",
    worldOf([], { dependents: ["sub/apps/suite"] }),
    [],
    ["sub/apps/suite requires it and may need the newer version"],
  ],
  [
    "with a policy that allows it before the new version is ready",
    worldOf([], { policy: { reference: "ClusterUpdatePolicy prod", mode: "BeforeReady" } }),
    [],
    [],
  ],
  [
    "with a policy that allows it after a look",
    worldOf([], { wasReady: true, policy: { reference: "ClusterUpdatePolicy prod", mode: "Checked" } }),
    [ran],
    [],
  ],
] satisfies [string, RollbackWorld, readonly string[], readonly string[]][])
  test(`a rollback ${what} loses ${losses.length === 0 ? "nothing" : losses.join(", ")}`, () => {
    const plan = rollbackPlan(world);
    assert.ok("losses" in plan);
    assert.deepEqual([plan.losses, plan.notes], [losses, notes]);
  });

for (const [what, world, code, summary] of [
  [
    "a version that lacks a stored version",
    worldOf([crd("storedVersionRemoval", 0)]),
    "CrdUnsafe",
    "1.0.0 cannot serve objects that are stored: kilns.example.com: storedVersionRemoval: broken",
  ],
  [
    "any version under a policy with Never",
    worldOf([], { policy: { reference: "UpdatePolicy ns/a", mode: "Never" } }),
    "VersionHeld",
    "ext/kiln stays at 1.1.0: UpdatePolicy ns/a allows no rollback",
  ],
  [
    "a ready version under a policy with BeforeReady",
    worldOf([], { wasReady: true, policy: { reference: "UpdatePolicy ns/a", mode: "BeforeReady" } }),
    "VersionHeld",
    "ext/kiln stays at 1.1.0: UpdatePolicy ns/a allows a rollback only before the new version was ready",
  ],
] satisfies [string, RollbackWorld, string, string][])
  test(`a rollback is refused for ${what}`, () => {
    const refusal = rollbackPlan(world);
    assert.ok("code" in refusal);
    assert.deepEqual([refusal.code, refusal.summary], [code, summary]);
  });
