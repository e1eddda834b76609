import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, services } from "@purser/kubernetes/apis/resources";
import type { ApplyContext } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { RecordingCluster } from "../../../conformance/suites/v0/recording-cluster.ts";
import { clusterOperators, clusterVersions } from "../../apis/openshift.ts";
import { clusterOperatorController } from "./cluster-operator-controller.ts";

const report = { conditions: [], relatedObjects: [] };
const controller = clusterOperatorController({
  name: "reports",
  reporters: new Map([
    ["olm", () => Promise.resolve(report as never)],
    ["catalogs", () => Promise.resolve(report as never)],
  ]),
  versions: { operator: "1.0.0" } as never,
  source: { type: services },
});

/** Kinds that the cluster defines. */
const cacheOf = (...kinds: readonly string[]) => ({
  cached: ({ kind }: ResourceType, { name }: ObjectKey) =>
    kind === "CustomResourceDefinition" && kinds.includes(name) ? {} : undefined,
  versionOf: () => "1",
  versionsIn: () => "1",
});
const defined = "clusteroperators.config.openshift.io";

async function pass(name: string, ...kinds: readonly string[]): Promise<readonly string[]> {
  const cluster = new RecordingCluster([]);
  const context = {
    reader: cluster,
    writer: cluster,
    cache: cacheOf(...kinds),
    now: 0,
    signal: new AbortController().signal,
  };
  const { watches = [] } = await controller.reconcile({ name }, context as unknown as ApplyContext);
  return [...cluster.writes, ...watches.map(({ plural }) => `watches ${plural}`)];
}

test("nothing is written, read or watched where the cluster has no ClusterOperators", async () => {
  assert.deepEqual(await pass("olm"), []);
  assert.deepEqual(await pass("olm", "clusterversions.config.openshift.io"), []);
});

test("a ClusterOperator is created and followed where the cluster has the kind", async () =>
  assert.deepEqual(await pass("olm", defined), [
    "create clusteroperators olm",
    "watches clusteroperators",
    "watches clusterversions",
  ]));

test("a ClusterOperator of another name is not ours", async () => assert.deepEqual(await pass("dns", defined), []));

/** Names of the ClusterOperators that a change of the object runs. */
function wokenBy(type: ResourceType, name: string, cache = cacheOf(defined)): readonly string[] {
  const watch = controller.watches.find((one) => one.type === type) ?? controller.wakingWatch?.(type);
  const object: KubeObject = { apiVersion: "", kind: type.kind, metadata: { name } };
  return (watch?.map?.(object, cache as unknown as CacheView) ?? []).map((key) => key.name);
}

for (const [what, type, name, expected] of [
  ["the definition of ClusterOperators runs all", customResourceDefinitions, defined, ["olm", "catalogs"]],
  ["another definition runs none", customResourceDefinitions, "as.g.io", []],
  ["a ClusterOperator runs itself", clusterOperators, "catalogs", ["catalogs"]],
  ["a ClusterOperator of others runs none", clusterOperators, "dns", []],
  ["the version of the cluster runs all", clusterVersions, "version", ["olm", "catalogs"]],
  ["what reports are made of runs all", services, "s", ["olm", "catalogs"]],
] as const)
  test(what, () => assert.deepEqual(wokenBy(type, name), expected));

test("what reports are made of runs nothing where the cluster has no ClusterOperators", () =>
  assert.deepEqual(wokenBy(services, "s", cacheOf()), []));
