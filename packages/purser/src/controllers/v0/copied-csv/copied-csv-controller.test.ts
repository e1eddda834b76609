import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { formatKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { clusterServiceVersions, olmConfigs, operatorGroups } from "../../../apis/olm-resources.ts";
import { improved } from "../../../compat.ts";
import { copiedCsvController } from "./copied-csv-controller.ts";

const namespace = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
const group = (where: string, name: string, ...targets: readonly string[]): KubeObject =>
  ({
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace: where, name },
    status: { namespaces: targets },
  }) as KubeObject;
const csv = (where: string, name: string, of: string, copiedFrom?: string): KubeObject =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      namespace: where,
      name,
      annotations: {
        "olm.operatorGroup": of,
        "olm.operatorNamespace": where,
        "olm.targetNamespaces": of === "named" ? "a,some" : "",
      },
      labels: copiedFrom === undefined ? {} : { "olm.copiedFrom": copiedFrom },
    },
    spec: {},
    status: { phase: "Succeeded" },
  }) as unknown as KubeObject;
const config = (disableCopiedCSVs: boolean): KubeObject =>
  ({
    apiVersion: "operators.coreos.com/v1",
    kind: "OLMConfig",
    metadata: { name: "cluster" },
    spec: { features: { disableCopiedCSVs } },
  }) as unknown as KubeObject;

const held = [
  ...["all", "some", "a", "b"].map(namespace),
  group("all", "everywhere", ""),
  group("some", "named", "some", "a"),
  csv("all", "global.v1", "everywhere"),
  csv("some", "named.v1", "named"),
  csv("old", "named.v1", "named", "some"),
];

/** Keys that a new object runs, or a change of the object, sorted. */
function wokenBy(
  type: ResourceType,
  object: KubeObject,
  isOff = false,
  kept: readonly string[] = [],
  before?: KubeObject,
): readonly string[] {
  const { watches } = copiedCsvController({ compat: improved, protectedNamespaces: new Set(kept) });
  const all = [...held, config(isOff)];
  const cache = {
    cached: ({ kind }: ResourceType, key: ObjectKey) =>
      all.find(
        (one) =>
          one.kind === kind &&
          one.metadata.name === key.name &&
          (one.metadata.namespace ?? "") === (key.namespace ?? ""),
      ),
    byIndex: (indexed: ResourceType, index: string, value: string) =>
      watches.flatMap((watch) => {
        const of = watch.type === indexed ? watch.indexes?.[index] : undefined;
        const isOfCopies = watch.scope?.labelSelector === "olm.copiedFrom";
        return all.filter(
          (one) =>
            of !== undefined &&
            one.kind === indexed.kind &&
            (one.kind !== "ClusterServiceVersion" ||
              isOfCopies === (one.metadata.labels?.["olm.copiedFrom"] !== undefined)) &&
            of(one).includes(value),
        );
      }),
  } as unknown as CacheView;
  const isCopy = object.metadata.labels?.["olm.copiedFrom"] !== undefined;
  const watch = watches.find(
    (one) =>
      one.type === type && (one.scope === undefined || (one.scope.labelSelector === "olm.copiedFrom") === isCopy),
  );
  const change = { after: object, ...(before === undefined ? {} : { before }) };
  const keys = watch?.concerned?.(change, cache) ?? watch?.map?.(object, cache) ?? [];
  return [...new Set(keys.map(formatKey))].toSorted();
}

const [everywhere, named] = [held[4], held[5]];
const [global, ofSome, copy] = [held[6], held[7], held[8]];
assert.ok(everywhere && named && global && ofSome && copy);
for (const [what, type, object, expected, expectedOff] of [
  [
    "a new CSV for all namespaces runs itself and every other namespace",
    clusterServiceVersions,
    global,
    ["a/global.v1", "all/global.v1", "b/global.v1", "some/global.v1"],
    ["all/global.v1", "b/global.v1"],
  ],
  [
    "a new CSV runs itself, its copies and its targets",
    clusterServiceVersions,
    ofSome,
    ["a/named.v1", "old/named.v1", "some/named.v1"],
    ["a/named.v1", "old/named.v1", "some/named.v1"],
  ],
  ["a copy runs itself", clusterServiceVersions, copy, ["old/named.v1"], ["old/named.v1"]],
  [
    "an OperatorGroup runs the places of its CSVs",
    operatorGroups,
    everywhere,
    ["a/global.v1", "b/global.v1", "some/global.v1"],
    ["b/global.v1"],
  ],
  [
    "an OperatorGroup with targets runs those",
    operatorGroups,
    named,
    ["a/named.v1", "old/named.v1"],
    ["a/named.v1", "old/named.v1"],
  ],
  [
    "the OLMConfig runs the places of CSVs for all namespaces",
    olmConfigs,
    config(true),
    ["a/global.v1", "b/global.v1", "some/global.v1"],
    ["b/global.v1"],
  ],
  [
    "a namespace runs the CSVs for all namespaces and those that target it",
    namespaces,
    namespace("a"),
    ["a/global.v1", "a/named.v1"],
    ["a/named.v1"],
  ],
  [
    "a protected namespace runs the CSVs for all namespaces",
    namespaces,
    namespace("b"),
    ["b/global.v1"],
    ["b/global.v1"],
  ],
] as const)
  for (const [isOff, keys] of [
    [false, expected],
    [true, expectedOff],
  ] as const)
    test(`${what}${isOff ? ", copies for all namespaces being off but for b" : ""}`, () =>
      assert.deepEqual(wokenBy(type, object, isOff, ["b"]), keys));

test("a CSV that changes runs its copies and its targets", () =>
  assert.deepEqual(wokenBy(clusterServiceVersions, ofSome, false, [], ofSome), ["a/named.v1", "old/named.v1"]));
