import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../apis/object.ts";
import { ObjectStore } from "./object-store.ts";

const held = (name: string, color = "", namespace?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: { color } },
});
const names = (objects: readonly KubeObject[]): string =>
  objects.map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`).join(" ");
const colors = (object: KubeObject): readonly string[] => (object.metadata.labels?.["color"] ?? "").split("+");

test("objects are found by key, by namespace and by index, in the API server's order", () => {
  const store = new ObjectStore();
  for (const namespace of ["b", "a", "a-b", undefined])
    for (const name of ["y", "x", "z"])
      assert.equal(store.put(held(name, name === "z" ? "red+blue" : "red", namespace)), undefined);
  assert.equal(store.hasIndex("color"), false);
  assert.deepEqual(store.byIndex("color", "red"), []);
  assert.equal(store.indexSize("color", "red"), 0);
  store.addIndex("color", colors);
  store.addIndex("color", () => []);
  assert.equal(store.hasIndex("color"), true);
  assert.equal(store.size, 12);
  assert.equal(names(store.list()), "/x /y /z a-b/x a-b/y a-b/z a/x a/y a/z b/x b/y b/z");
  assert.equal(names(store.list("a")), "a/x a/y a/z");
  assert.equal(names(store.list("none")), "");
  assert.equal(
    names(store.byIndex("color", "blue")),
    names(store.list().filter(({ metadata }) => metadata.name === "z")),
  );
  assert.equal(store.indexSize("color", "red"), 12);
});

test("an object that is replaced or removed leaves its indexes, and gives the one that was there", () => {
  const store = new ObjectStore();
  store.addIndex("color", colors);
  const [first, second] = [held("x", "red", "a"), held("x", "blue", "a")];
  store.put(first);
  assert.equal(store.put(second), first);
  assert.equal(store.size, 1);
  assert.equal(store.get({ namespace: "a", name: "x" }), second);
  assert.equal(store.get({ name: "x" }), undefined);
  assert.deepEqual([store.indexSize("color", "red"), store.indexSize("color", "blue")], [0, 1]);
  assert.equal(store.remove({ namespace: "b", name: "x" }), undefined);
  assert.equal(store.remove({ namespace: "a", name: "y" }), undefined);
  assert.equal(store.remove({ namespace: "a", name: "x" }), second);
  assert.equal(store.remove({ namespace: "a", name: "x" }), undefined);
  assert.equal(store.size, 0);
  assert.deepEqual(store.byIndex("color", "blue"), []);
  assert.deepEqual([...store.all()], []);
  const cluster = held("c", "red");
  store.put(cluster);
  assert.equal(store.get({ name: "c" }), cluster);
  assert.equal(store.remove({ name: "c" }), cluster);
});
