import assert from "node:assert/strict";
import { test } from "node:test";
import { csvsOf } from "./component-watches.ts";

const byLabels = (kind: string, more: Readonly<Record<string, string>> = {}) => ({
  labels: { "olm.owner": "op.v1", "olm.owner.namespace": "ops", "olm.owner.kind": kind, ...more },
});
const byReference = (kind: string) => ({
  ownerReferences: [{ apiVersion: "operators.coreos.com/v1alpha1", kind, name: "op.v1", uid: "1" }],
});
const op = { namespace: "ops", name: "op.v1" };

for (const [words, metadata, expected] of [
  ["a CSV by its owner labels, from any namespace", byLabels("ClusterServiceVersion"), [op]],
  ["no CSV by the owner labels of another kind", byLabels("OperatorGroup"), []],
  [
    "no CSV by owner labels without a namespace",
    { labels: { "olm.owner": "op.v1", "olm.owner.kind": "ClusterServiceVersion" } },
    [],
  ],
  [
    "the CSV of an owner reference in its own namespace",
    { namespace: "ops", ...byReference("ClusterServiceVersion") },
    [op],
  ],
  ["no CSV by an owner reference to another kind", { namespace: "ops", ...byReference("Deployment") }, []],
  [
    "a CSV once that reference and labels name",
    { namespace: "ops", ...byReference("ClusterServiceVersion"), ...byLabels("ClusterServiceVersion") },
    [op],
  ],
  [
    "both CSVs when reference and labels differ",
    { namespace: "else", ...byReference("ClusterServiceVersion"), ...byLabels("ClusterServiceVersion") },
    [{ namespace: "else", name: "op.v1" }, op],
  ],
  ["no CSV of what was made for a copy", byLabels("ClusterServiceVersion", { "olm.copiedFrom": "ops" }), []],
] as const)
  test(`an object belongs to ${words}`, () => {
    const object = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", ...metadata } };
    assert.deepEqual(csvsOf(object), expected);
  });
