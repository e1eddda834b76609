import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { memoryStorage } from "./object-store.ts";
import type { StoredChange } from "./storage.ts";

const object = (name: string, value = ""): KubeObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "a" }, data: { value } }) as KubeObject;

test("every change gets the next revision, across all tables", () => {
  const store = memoryStorage();
  assert.equal(store.put("configmaps", "a/x", object("x")).metadata.resourceVersion, "1");
  assert.equal(store.put("secrets", "a/x", object("x")).metadata.resourceVersion, "2");
  assert.equal(store.remove("configmaps", "a/x")?.metadata.resourceVersion, "3");
  assert.equal(store.revision(), 3);
  assert.equal(store.remove("configmaps", "a/x"), undefined);
  assert.equal(store.revision(), 3);
});

test("a list is in key order, by namespace, and can be continued", () => {
  const store = memoryStorage();
  for (const key of ["b/1", "a/2", "a-b/1", "a/1", "c/1"]) store.put("configmaps", key, object(key));
  const names = (range: Parameters<typeof store.list>[1]): readonly string[] => {
    const found = store.list("configmaps", range);
    assert.ok(found.ok);
    return found.value.map(({ metadata }) => metadata.name ?? "");
  };
  assert.deepEqual(names({}), ["a-b/1", "a/1", "a/2", "b/1", "c/1"]);
  assert.deepEqual(names({ namespace: "a" }), ["a/1", "a/2"]);
  assert.deepEqual(names({ after: "a/1" }), ["a/2", "b/1", "c/1"]);
  assert.deepEqual(names({ namespace: "a", after: "a/1" }), ["a/2"]);
});

test("the state at a retained revision is exact, and an older one is refused", () => {
  const store = memoryStorage();
  store.put("configmaps", "a/x", object("x", "1"));
  store.put("configmaps", "a/y", object("y", "1"));
  store.put("configmaps", "a/x", object("x", "2"));
  store.remove("configmaps", "a/y");
  const at2 = store.list("configmaps", { at: 2 });
  assert.ok(at2.ok);
  assert.deepEqual(
    at2.value.map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    [
      ["x", "1"],
      ["y", "2"],
    ],
  );
});

test("a feed sends retained changes immediately and later ones in order, each exactly once", async () => {
  const store = memoryStorage();
  store.put("configmaps", "a/x", object("x"));
  store.put("configmaps", "a/y", object("y"));
  const seen: StoredChange[] = [];
  const early = store.feed("configmaps", 0, (change) => void seen.push(change));
  assert.ok(early.ok);
  assert.equal(seen.length, 0, "not durable yet");
  await store.durable();
  assert.deepEqual(
    seen.map(({ revision }) => revision),
    [1, 2],
  );
  const late: number[] = [];
  store.feed("configmaps", 1, ({ revision }) => void late.push(revision));
  assert.deepEqual(late, [2]);
  store.remove("configmaps", "a/x");
  store.put("secrets", "a/x", object("x"));
  await store.durable();
  assert.deepEqual(late, [2, 3]);
  early.value.close();
  store.put("configmaps", "a/z", object("z"));
  await store.durable();
  assert.equal(seen.length, 3);
  assert.equal(seen[2]?.shown.metadata.resourceVersion, "3");
});

test("compaction refuses feeds and exact lists before it, and names the oldest revision", async () => {
  const store = memoryStorage();
  for (const name of ["x", "y", "z"]) store.put("configmaps", `a/${name}`, object(name));
  await store.durable();
  store.compact(2);
  const feed = store.feed("configmaps", 1, () => undefined);
  assert.deepEqual(feed, { ok: false, problem: { kind: "compacted", oldest: 2 } });
  assert.equal(store.list("configmaps", { at: 1 }).ok, false);
  assert.equal(store.list("configmaps", { at: 2 }).ok, true);
});

test("a fork and its parent do not see each other's later changes", () => {
  const store = memoryStorage();
  store.put("configmaps", "a/x", object("x", "1"));
  const fork = store.fork();
  store.put("configmaps", "a/x", object("x", "parent"));
  fork.put("configmaps", "a/y", object("y"));
  assert.equal((fork.get("configmaps", "a/x") as { data?: { value?: string } } | undefined)?.data?.value, "1");
  assert.equal(store.get("configmaps", "a/y"), undefined);
  assert.equal(fork.get("configmaps", "a/y")?.metadata.resourceVersion, "2");
});
