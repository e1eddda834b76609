import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestNames } from "./nearest-name.ts";

const cases: readonly (readonly [wanted: string, names: readonly string[], near: readonly string[]])[] = [
  ["ectd", ["etcd", "redis"], ["etcd"]],
  ["Etcd", ["redis", "etcd"], ["etcd"]],
  ["gateway", ["semaphore-gateway", "cache"], ["semaphore-gateway"]],
  ["authorino-operator", ["patterns-operator", "project-operator"], []],
  ["authorno-operator", ["patterns-operator", "authorino-operator"], ["authorino-operator"]],
  ["etdc-operator", ["etcd"], ["etcd"]],
  ["hive-operator", ["live-operator", "dotvirt-operator"], ["live-operator"]],
  ["ab-operator", ["ac-operator"], []],
  ["operator", ["operators"], ["operators"]],
];
for (const [wanted, names, near] of cases)
  test(`near ${wanted} of ${names.join(", ")}: ${near.join(", ") || "none"}`, () =>
    assert.deepEqual(nearestNames(wanted, names), near));
