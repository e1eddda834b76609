import assert from "node:assert/strict";
import { test } from "node:test";
import type { Installation } from "../../installation/installation.ts";
import { UsageError } from "../command.ts";
import { findInstallation, followInstallations, lookEveryMs } from "./installations.ts";

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

test("following gives all at first, then what is new or changed, and a deleted one once more", async () => {
  const [etcd, store, vault] = [subscription("data", "etcd"), subscription("cache", "store"), extension("vault")];
  const looks: (readonly Installation[])[] = [
    [etcd, store],
    [{ ...etcd, state: "Failed" }, store, vault],
    [vault],
    [vault],
  ];
  const stop = new AbortController();
  const waits: number[] = [];
  const clock = {
    sleep: async (waitMs: number, signal?: AbortSignal) => {
      waits.push(waitMs);
      if (looks.length === 0) stop.abort(new Error("interrupted"));
      signal?.throwIfAborted();
    },
  };
  const seen: (readonly (readonly [string, string, string])[])[] = [];
  const follow = followInstallations(async () => looks.shift() ?? [], stop.signal, clock);
  await assert.rejects(async () => {
    for await (const changed of follow) seen.push(changed.map(({ reference, state, why }) => [reference, state, why]));
  }, /interrupted/);
  assert.deepEqual(seen, [
    [
      ["sub/data/etcd", "Ready", ""],
      ["sub/cache/store", "Ready", ""],
    ],
    [
      ["sub/data/etcd", "Failed", ""],
      ["ext/vault", "Ready", ""],
    ],
    [
      ["sub/data/etcd", "Removing", "deleted"],
      ["sub/cache/store", "Removing", "deleted"],
    ],
    [],
  ]);
  assert.deepEqual(waits, [lookEveryMs, lookEveryMs, lookEveryMs, lookEveryMs]);
});
