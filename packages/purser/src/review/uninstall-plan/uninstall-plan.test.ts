import assert from "node:assert/strict";
import { test } from "node:test";
import { changedSince, type UninstallMode, uninstallPlan, type UninstallWorld } from "./uninstall-plan.ts";
import { uninstallLines } from "./uninstall-text.ts";

const world: UninstallWorld = {
  installation: "sub/data/etcd",
  objects: [
    { kind: "Subscription", namespace: "data", name: "etcd" },
    { kind: "Role", namespace: "data", name: "a" },
    { kind: "Role", namespace: "data", name: "b" },
  ],
  apis: [
    { crd: "clusters.etcd", kind: "EtcdCluster", instances: 3, sharedWith: [], ownedElsewhere: false },
    { crd: "backups.etcd", kind: "EtcdBackup", instances: 0, sharedWith: [], ownedElsewhere: false },
    {
      crd: "restores.etcd",
      kind: "EtcdRestore",
      instances: 0,
      sharedWith: ["csv/other/etcd.v1"],
      ownedElsewhere: false,
    },
    { crd: "hidden.etcd", kind: "Hidden", instances: undefined, sharedWith: [], ownedElsewhere: false },
  ],
  dependents: [{ installation: "sub/apps/suite", kind: "EtcdCluster" }],
  unneeded: [{ installation: "sub/data/helper", instances: 2 }],
};

for (const [mode, removed, deletedInstances, uncounted] of [
  ["keep-data", [], 0, []],
  ["unused", ["backups.etcd"], 0, []],
  ["everything", ["clusters.etcd", "backups.etcd", "hidden.etcd"], 3, ["hidden.etcd"]],
] satisfies [UninstallMode, string[], number, string[]][])
  test(`${mode} removes ${removed.length} of four CRDs, never one that another operator provides`, () => {
    const plan = uninstallPlan(world, mode);
    assert.deepEqual(
      plan.apis.filter(({ fate }) => fate === "removed").map(({ crd }) => crd),
      removed,
    );
    assert.deepEqual([plan.deletedInstances, plan.uncounted], [deletedInstances, uncounted]);
  });

test("the text counts what is removed, kept and affected", () => {
  assert.deepEqual(
    uninstallLines(uninstallPlan(world, "unused")).map(({ text }) => text.replace(/sha256:[0-9a-f]{64}$/, "DIGEST")),
    [
      "Uninstall sub/data/etcd (mode unused)",
      "  removed  3 objects: 2 Role and 1 Subscription",
      "  removed  1 CRD, 0 instances",
      "  kept     3 CRDs, 3 instances (EtcdCluster 3 and Hidden not counted)",
      "  kept     restores.etcd: csv/other/etcd.v1 provides it too",
      "  kept     hidden.etcd: you may not count its custom resources",
      "  affects  sub/apps/suite requires EtcdCluster, which nothing will serve",
      "  unneeded sub/data/helper was installed for it, and nothing else requires it (2 instances)",
      "  plan     DIGEST",
    ],
  );
});

const [clusters, backups, ...rest] = world.apis;
for (const [what, mode, changed, stale] of [
  ["another mode", "everything", world, ["CRD clusters.etcd", "CRD hidden.etcd", "mode"]],
  [
    "an object that exists now",
    "unused",
    { ...world, objects: [...world.objects, { kind: "Role", name: "c" }] },
    ["object Role /c"],
  ],
  ["a dependent that was deleted", "unused", { ...world, dependents: [] }, []],
  ["an object that was deleted", "unused", { ...world, objects: [] }, []],
  ["a dependency that is needed again", "unused", { ...world, unneeded: [] }, ["dependency sub/data/helper"]],
  [
    "a first custom resource",
    "unused",
    { ...world, apis: [clusters, { ...backups, instances: 1 }, ...rest] },
    ["CRD backups.etcd"],
  ],
  [
    "one more custom resource of a CRD that is kept",
    "unused",
    { ...world, apis: [{ ...clusters, instances: 4 }, backups, ...rest] },
    [],
  ],
] as const)
  test(`a plan of an uninstallation is stale after ${what}: ${stale.length > 0}`, () => {
    const [before, after] = [uninstallPlan(world, "unused"), uninstallPlan(changed as UninstallWorld, mode)];
    assert.deepEqual(changedSince(before, after), stale);
  });
