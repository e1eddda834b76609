import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoles,
  customResourceDefinitions,
  serviceAccounts,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import type { Step } from "../../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { createdWith, type CreationWorld } from "./created-with.ts";

const step = { resolving: "op.v1" } as Step;
const subscription = (name: string, currentCSV: string): Subscription =>
  ({ metadata: { name }, spec: { name }, status: { currentCSV } }) as unknown as Subscription;
const group = (name: string, namespaces?: readonly string[], spec: OperatorGroup["spec"] = {}): OperatorGroup =>
  ({
    metadata: { name, namespace: "ns" },
    spec,
    ...(namespaces === undefined ? {} : { status: { namespaces } }),
  }) as OperatorGroup;
const world = (groups: readonly OperatorGroup[] = []): CreationWorld => ({
  namespace: "ns",
  subscriptions: [subscription("op", "op.v1"), subscription("other", "other.v1")],
  groups,
});
const kube = (metadata: KubeObject["metadata"]): KubeObject => ({ apiVersion: "v1", kind: "K", metadata });
const created = (type: ResourceType, metadata: KubeObject["metadata"], groups?: readonly OperatorGroup[]): object =>
  createdWith(world(groups), step, type, kube(metadata)).metadata;

const reference = { apiVersion: "operators.coreos.com/v1alpha1", kind: "ClusterServiceVersion", uid: "u" };
const ownerLabels = { "olm.owner": "op.v1", "olm.owner.namespace": "ns", "olm.owner.kind": "ClusterServiceVersion" };

for (const [words, type, metadata, labels] of [
  ["a definition", customResourceDefinitions, { name: "as.example.com" }, { "operators.coreos.com/op.ns": "" }],
  [
    "an account that names the CSV as owner, beside its labels",
    serviceAccounts,
    { name: "sa", namespace: "ns", labels: { a: "b" }, ownerReferences: [{ ...reference, name: "op.v1" }] },
    { a: "b", "operators.coreos.com/op.ns": "" },
  ],
  [
    "a ClusterRole with the owner labels of the CSV",
    clusterRoles,
    { name: "r", labels: ownerLabels },
    { ...ownerLabels, "operators.coreos.com/op.ns": "" },
  ],
  [
    "no account of another CSV",
    serviceAccounts,
    { name: "sa", namespace: "ns", ownerReferences: [{ ...reference, name: "other.v1" }] },
    undefined,
  ],
  ["no account without an owner", serviceAccounts, { name: "sa", namespace: "ns" }, undefined],
  [
    "no object of a kind that Operators do not list",
    validatingWebhookConfigurations,
    { name: "w", labels: ownerLabels },
    ownerLabels,
  ],
] as const)
  test(`the component label is on a new object from its creation: ${words}`, () => {
    assert.deepEqual((created(type, metadata) as KubeObject["metadata"]).labels, labels);
  });

const csv = { name: "op.v1", namespace: "ns", finalizers: ["example.com/own"] };
const finalizers = ["example.com/own", "operators.coreos.com/csv-cleanup"];
const labels = { "operators.coreos.com/op.ns": "" };
const member = { "olm.operatorNamespace": "ns", "olm.operatorGroup": "g" };

for (const [words, groups, annotations] of [
  ["the sorted targets of its group", [group("g", ["b", "a"])], { ...member, "olm.targetNamespaces": "a,b" }],
  ["the empty text for all namespaces", [group("g", [""])], { ...member, "olm.targetNamespaces": "" }],
  ["no membership without a group", [], undefined],
  ["no membership of one of two groups", [group("g", ["ns"]), group("h", ["ns"])], undefined],
  ["no membership of a group that has not resolved its targets", [group("g")], undefined],
  [
    "no membership of a group that selects nothing",
    [group("g", [], { selector: { matchLabels: { a: "b" } } })],
    undefined,
  ],
] as const)
  test(`a new CSV has its finalizer, its component label and ${words}`, () => {
    const expected = { ...csv, finalizers, labels, ...(annotations === undefined ? {} : { annotations }) };
    assert.deepEqual(created(clusterServiceVersions, csv, groups), expected);
  });

test("the finalizer is added once", () => {
  assert.deepEqual(created(clusterServiceVersions, { ...csv, finalizers }), { ...csv, finalizers, labels });
});
