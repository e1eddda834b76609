import assert from "node:assert/strict";
import { test } from "node:test";
import { formatKey, type KubeObject } from "@purser/kubernetes/apis/object";
import { apiVersionOf, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import { invariant } from "@purser/kubernetes/invariant";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import {
  catalogSources,
  clusterServiceVersions,
  clusterUpdatePolicies,
  installPlans,
  operatorGroups,
  subscriptions,
  updatePolicies,
} from "../../../apis/olm-resources.ts";
import type { Surroundings } from "../../surroundings.ts";
import { cacheOf } from "../../testing/passes.ts";
import { namespaceController } from "./namespace-controller.ts";
import { NamespacePasses } from "./namespace-passes.ts";

const controller = namespaceController(
  { globalNamespace: "olm" } as Surroundings,
  new NamespacePasses(new VirtualClock()),
);
const { watches, about } = controller;

const subscription = (namespace: string, sourceNamespace: string): KubeObject =>
  ({
    apiVersion: apiVersionOf(subscriptions),
    kind: subscriptions.kind,
    metadata: { namespace, name: "sub" },
    spec: { sourceNamespace },
  }) as unknown as KubeObject;
const held = [subscription("a", "olm"), subscription("b", "shared"), subscription("c", "olm"), subscription("a", "a")];

const cache = cacheOf(controller, held);

/** Namespaces that are looked at again after a change of the object, sorted. */
function wokenBy(type: ResourceType, metadata: object): readonly string[] {
  const watch = watches.find((candidate) => candidate.type === type);
  invariant(watch?.map !== undefined, `${type.kind} is watched`);
  const object = { apiVersion: "", kind: type.kind, metadata };
  return [...new Set(watch.map(object, cache).map(formatKey))].toSorted();
}

for (const type of [subscriptions, clusterServiceVersions, installPlans, operatorGroups, updatePolicies])
  test(`a change of ${type.kind} concerns its namespace`, () =>
    assert.deepEqual(wokenBy(type, { namespace: "x", name: "y" }), ["x"]));

test("a change of a ClusterUpdatePolicy concerns all namespaces with Subscriptions", () =>
  assert.deepEqual(wokenBy(clusterUpdatePolicies, { name: "y" }), ["a", "b", "c"]));

test("a change of a catalog concerns its namespace and those that read from it; all when it is global", () => {
  const of = (namespace: string): readonly string[] => wokenBy(catalogSources, { namespace, name: "cat" });
  assert.deepEqual([of("shared"), of("a"), of("empty")], [["b", "shared"], ["a"], ["empty"]]);
  assert.deepEqual(of("olm"), ["a", "b", "c", "olm"]);
});

test("problems of a namespace are shown beside one of its Subscriptions", () => {
  assert.equal(about?.({ name: "b" }, cache), held[1]);
  assert.equal(about?.({ name: "empty" }, cache), undefined);
});
