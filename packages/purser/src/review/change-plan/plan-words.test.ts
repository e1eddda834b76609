import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldChange } from "./field-changes.ts";
import type { ObjectChange } from "./object-changes.ts";
import { crdLines, fieldLines, objectCounts, objectWords, permissionCounts, permissionLines } from "./plan-words.ts";

const path = [{ field: "spec" }, { field: "a" }];
const configMap = { group: "", kind: "ConfigMap", name: "c" };
const lines = (before: unknown, after: unknown, object = configMap) =>
  fieldLines({ kind: "changed", path, before, after } as FieldChange, object);

test("a changed field has its path, what it was and what it becomes", () => {
  assert.deepEqual(lines("a", { b: [1, null] }), ["spec.a", "- a", '+ {"b":[1,null]}']);
  assert.deepEqual(fieldLines({ kind: "added", path, after: true }, configMap), ["spec.a", "+ true"]);
  assert.deepEqual(fieldLines({ kind: "removed", path, before: 1 }, configMap), ["spec.a", "- 1"]);
  assert.deepEqual(fieldLines({ kind: "reordered", path, order: [] }, configMap), ["spec.a in a different order"]);
});

test("of two lists only the items that differ are shown; lists with the same items are shown whole", () => {
  assert.deepEqual(lines(["a", "b", { c: 1 }], ["b", { c: 2 }, "d"]), [
    "spec.a",
    "- a",
    '- {"c":1}',
    '+ {"c":2}',
    "+ d",
  ]);
  assert.deepEqual(lines(["a"], []), ["spec.a", "- a"]);
  assert.deepEqual(lines([], ["a"]), ["spec.a", "+ a"]);
  assert.deepEqual(lines(["a", "b"], ["b", "a"]), ["spec.a", '- ["a","b"]', '+ ["b","a"]']);
  assert.deepEqual(lines(["a"], "a"), ["spec.a", '- ["a"]', "+ a"]);
  assert.deepEqual(lines("a", ["a"]), ["spec.a", "- a", '+ ["a"]']);
});

test("values of Secrets are hidden, also in lists; other kinds of that name, and of that group, are shown", () => {
  const secret = { group: "", kind: "Secret", name: "s" };
  assert.deepEqual(lines("abc", ["abc"], secret), ["spec.a", "- (hidden, 5 characters)", "+ (hidden, 7 characters)"]);
  assert.deepEqual(lines(["a"], ["b"], secret), ["spec.a", "- (hidden, 5 characters)", "+ (hidden, 5 characters)"]);
  assert.deepEqual(lines("a", "b", { ...secret, group: "g.io" }), ["spec.a", "- a", "+ b"]);
});

test("a value of more than 400 characters is cut", () => {
  const cut = (length: number) => lines("", "x".repeat(length))[2];
  assert.deepEqual([cut(400), cut(401)], [`+ ${"x".repeat(400)}`, `+ ${"x".repeat(400)}... (401 characters)`]);
});

test("objects are named with their namespace and counted by what happens to them, in one order", () => {
  assert.equal(objectWords({ ...configMap, namespace: "ns" }), "ConfigMap ns/c");
  assert.equal(objectWords(configMap), "ConfigMap c");
  const counts = (...changes: readonly ObjectChange["change"][]) =>
    objectCounts(changes.map((change) => ({ change }) as ObjectChange));
  assert.equal(
    counts("left", "kept", "deleted", "changed", "created", "created"),
    "2 created, 1 changed, 1 deleted, 1 kept, 1 left behind",
  );
  assert.equal(counts(), "none");
});

test("rules have their verbs, what they are about and what is remarkable", () => {
  const of = (resource: string, flags: readonly string[] = []) =>
    ({ rule: { verbs: ["get", "list"], apiGroups: [""], resources: [resource] }, flags }) as never;
  const account = "ns/op";
  assert.deepEqual(permissionLines({ account, namespace: "far", added: [of("pods")], removed: [] }), {
    title: "ServiceAccount ns/op, namespace far",
    added: ["get, list  pods"],
    removed: [],
  });
  const verbless = { rule: { apiGroups: [""], resources: ["pods"] }, flags: [] } as never;
  assert.deepEqual(
    permissionLines({ account, added: [verbless], removed: [of("secrets", ["cluster-wide", "secrets"])] }),
    {
      title: "ServiceAccount ns/op, whole cluster",
      added: ["  pods"],
      removed: ["get, list  secrets  [cluster-wide, secrets]"],
    },
  );
  const change = (added: number, removed: number) => ({
    account,
    added: Array.from({ length: added }, () => of("pods")),
    removed: Array.from({ length: removed }, () => of("pods")),
  });
  assert.deepEqual(
    [permissionCounts([]), permissionCounts([change(1, 0), change(0, 2)]), permissionCounts([change(2, 1)])],
    ["unchanged", "1 rule gained, 2 lost", "2 rules gained, 1 lost"],
  );
});

test("what may break stored objects is a line for each finding, with their number where it is known", () => {
  const crd = { name: "as.g.io", change: "changed", rules: [] } as const;
  assert.deepEqual(
    crdLines([
      { ...crd, findings: ["a", "b"], stored: 2 },
      { ...crd, findings: ["c"], stored: 1 },
      { ...crd, findings: ["d"] },
      { ...crd, findings: [] },
    ]),
    [
      "as.g.io: a  (2 stored objects)",
      "as.g.io: b  (2 stored objects)",
      "as.g.io: c  (1 stored object)",
      "as.g.io: d  (stored objects not counted)",
    ],
  );
});
