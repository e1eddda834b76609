import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnerReference } from "@purser/kubernetes/apis/object";
import { extensionOwnerOf, type ExtensionOwner } from "./crd-of-extension.ts";

const reference = (kind: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind,
  name: "ext-1",
  uid: "u",
  controller: true,
  ...more,
});
const extensionLabels = {
  "olm.operatorframework.io/owner-kind": "ClusterExtension",
  "olm.operatorframework.io/owner-name": "ext",
};

type Row = readonly [
  string,
  readonly OwnerReference[] | undefined,
  Readonly<Record<string, string>>,
  ExtensionOwner | undefined,
];
const table: readonly Row[] = [
  ["an object without a controller is free", undefined, extensionLabels, undefined],
  [
    "the revision's ClusterExtension is the owner",
    [reference("ClusterObjectSet")],
    extensionLabels,
    { kind: "ClusterExtension", name: "ext" },
  ],
  [
    "a ClusterObjectSet without a ClusterExtension is the owner itself",
    [reference("ClusterObjectSet")],
    {},
    { kind: "ClusterObjectSet", name: "ext-1" },
  ],
  [
    "a ClusterExtension may be the controller itself",
    [reference("ClusterExtension", { name: "ext" })],
    {},
    { kind: "ClusterExtension", name: "ext" },
  ],
  [
    "an owner that is not the controller does not count",
    [reference("ClusterObjectSet", { controller: false })],
    extensionLabels,
    undefined,
  ],
  [
    "a controller of another API group does not count",
    [reference("ClusterObjectSet", { apiVersion: "example.com/v1" })],
    extensionLabels,
    undefined,
  ],
];

for (const [what, ownerReferences, labels, expected] of table)
  test(what, () => {
    const metadata = { name: "a.b.c", labels, ...(ownerReferences === undefined ? {} : { ownerReferences }) };
    assert.deepEqual(extensionOwnerOf({ metadata }), expected);
  });
