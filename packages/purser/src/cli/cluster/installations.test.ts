import assert from "node:assert/strict";
import { test } from "node:test";
import type { Installation } from "../../installation/installation.ts";
import { UsageError } from "../command.ts";
import { findInstallation } from "./installations.ts";

const subscription = (namespace: string, name: string, packageName = name): Installation => ({
  api: "v0",
  reference: `sub/${namespace}/${name}`,
  namespace,
  name,
  packageName,
  state: "Ready",
  why: "",
});
const extension = (name: string, packageName = name): Installation => ({
  api: "v1",
  reference: `ext/${name}`,
  name,
  packageName,
  state: "Ready",
  why: "",
});
const all = [
  subscription("data", "etcd"),
  subscription("cache", "store", "redis"),
  extension("vault"),
  extension("etcd"),
];

const found = [
  ["ext/etcd", undefined, "ext/etcd"],
  ["sub/data/etcd", undefined, "sub/data/etcd"],
  ["data/etcd", undefined, "sub/data/etcd"],
  ["vault", undefined, "ext/vault"],
  ["redis", undefined, "sub/cache/store"],
  ["vault", "data", "ext/vault"],
] as const;
for (const [name, namespace, reference] of found) {
  test(`"${name}"${namespace === undefined ? "" : ` in ${namespace}`} names ${reference}`, () => {
    const answer = findInstallation(name, all, namespace);
    assert.equal(answer.kind === "found" ? answer.installation.reference : answer.kind, reference);
  });
}

test("a name that two installations have is refused with both references", () => {
  assert.throws(
    () => findInstallation("etcd", all, undefined),
    (error) => {
      assert.ok(error instanceof UsageError);
      assert.deepEqual(error.hints, ["sub/data/etcd", "ext/etcd"]);
      return true;
    },
  );
});

for (const [name, near] of [
  ["valt", "ext/vault"],
  ["sub/data/etdc", "sub/data/etcd"],
  ["__proto__", undefined],
] as const) {
  test(`"${name}" names nothing; ${near === undefined ? "nothing is near" : `"${near}" is near`}`, () => {
    const answer = findInstallation(name, all, undefined);
    assert.equal(answer.kind, "missing");
    assert.equal(answer.kind === "missing" ? answer.near[0] : "", near);
  });
}
