import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { revisionOf } from "./plan/testing/extension-world.ts";
import { VerifiedRevisions } from "./verified-revisions.ts";

const made = digestOf("source");
const revision = revisionOf(1, "1.0.0");

function having(change: Partial<ClusterObjectSet["metadata"]>): ClusterObjectSet {
  return { ...revision, metadata: { ...revision.metadata, ...change } };
}

function progressing(reason: string): ClusterObjectSet {
  return revisionOf(1, "1.0.0", `Progressing=True ${reason}: text`);
}

const table: readonly (readonly [string, readonly ClusterObjectSet[], boolean])[] = [
  ["that did not change", [revision], true],
  ["whose status shows a roll-out", [progressing("RollingOut")], true],
  ["that has rolled out", [progressing("Succeeded")], true],
  ["that cannot go on", [progressing("Retrying")], false],
  ["that is blocked", [progressing("Blocked")], false],
  ["that was created again", [having({ uid: "other" })], false],
  ["whose spec changed", [having({ generation: 2 })], false],
  ["whose labels changed", [having({ labels: { a: "b" } })], false],
  ["whose annotations changed", [having({ annotations: { a: "b" } })], false],
  ["whose owner changed", [having({ ownerReferences: [] })], false],
  ["with another finalizer", [having({ finalizers: ["a/b"] })], true],
  ["that is not the newest any more", [revision, revisionOf(2, "1.1.0")], false],
  ["that was deleted", [], false],
];

for (const [what, revisions, isRecalled] of table)
  test(`a revision ${what} is ${isRecalled ? "recalled" : "verified again"}`, () => {
    const verified = new VerifiedRevisions();
    verified.note("ext", { made }, revision);
    assert.deepEqual(verified.recall("ext", made, revisions), isRecalled ? { revision: "ext-1" } : undefined);
  });

test("a revision is recalled for its extension and source alone, with the provider of its certificates", () => {
  const verified = new VerifiedRevisions();
  verified.note("ext", { made, provider: "cert-manager" }, revision);
  assert.deepEqual(verified.recall("ext", made, [revision]), { revision: "ext-1", provider: "cert-manager" });
  assert.equal(verified.recall("other", made, [revision]), undefined);
  assert.equal(verified.recall("ext", digestOf("other"), [revision]), undefined);
  verified.forget("ext");
  assert.equal(verified.recall("ext", made, [revision]), undefined);
});

test("of more than 10,000 extensions those that were verified last are remembered", () => {
  const verified = new VerifiedRevisions();
  for (let i = 0; i < 10_000; i++) verified.note(`e${i}`, { made }, revision);
  verified.note("e0", { made }, revision);
  verified.note("one more", { made }, revision);
  const known = ["e0", "e1", "e2"].map((name) => verified.recall(name, made, [revision]) !== undefined);
  assert.deepEqual(known, [true, false, true]);
});
