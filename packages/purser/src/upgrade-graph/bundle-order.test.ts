import assert from "node:assert/strict";
import { test } from "node:test";
import { versionInName } from "./bundle-order.ts";

test("the version that a bundle's name ends in is read where it is one", () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ["etcd.v0.9.4", "0.9.4"],
    ["etcd.0.9.4", "0.9.4"],
    ["etcd-operator.v1.2.3-rc.1+b", "1.2.3-rc.1+b"],
    ["etcd.v01.2.3", undefined],
    ["etcd.v1.2.3_4", undefined],
    ["etcd.v1.2.3.", undefined],
    ["etcd.v1.2", undefined],
    ["etcd-v1.2.3", undefined],
    ["1.2.3", undefined],
  ];
  assert.deepEqual(
    table.map(([name]) => [name, versionInName(name)]),
    table,
  );
});
