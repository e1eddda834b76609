import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { digestOf } from "@purser/kubernetes/digest";
import type { ApiFamily } from "../../apis/api-family.ts";
import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import type { CatalogContent } from "../../content/content.ts";
import { SetContent } from "../../content/testing/set-content.ts";
import type { Surroundings } from "../surroundings.ts";
import { cacheOf, passOf, requeuedBy } from "../testing/passes.ts";
import { updatePolicyController } from "./update-policy-controller.ts";

const object = (apiVersion: string, kind: string, metadata: JsonObject, more: object): KubeObject =>
  ({ apiVersion, kind, metadata, ...more }) as unknown as KubeObject;
const olm = "operators.coreos.com/v1alpha1";
const olmV1 = "olm.operatorframework.io/v1";
const subscription = object(
  olm,
  "Subscription",
  { namespace: "ns", name: "sub" },
  { spec: { name: "op", source: "cat", sourceNamespace: "olm" }, status: { installedCSV: "op.v1.0.0" } },
);
const extension = object(
  olmV1,
  "ClusterExtension",
  { name: "ext" },
  {
    spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "op" } } },
    status: { install: { bundle: { name: "op.v1.0.0", version: "1.0.0" } } },
  },
);
const source = (metadata: JsonObject = {}): KubeObject =>
  object(
    olm,
    "CatalogSource",
    { namespace: "olm", name: "cat", ...metadata },
    { spec: { sourceType: "grpc", image: "example.com/cat:1" } },
  );
const catalog = (metadata: JsonObject = {}): KubeObject =>
  object(
    olmV1,
    "ClusterCatalog",
    { name: "cat", ...metadata },
    { spec: { source: { type: "Image", image: { ref: "example.com/cat:1" } } } },
  );
const policy = (spec: object = {}): KubeObject =>
  object("purser.dev/v1alpha1", "ClusterUpdatePolicy", { name: "policy" }, { spec });
const own = object("purser.dev/v1alpha1", "UpdatePolicy", { namespace: "ns", name: "own" }, { spec: {} });

function controllerOf(families: readonly ApiFamily[] = ["v0", "v1"]) {
  const content = new SetContent();
  const { blobs } = loadCatalog([{ file: "c", text: smallCatalog("op", ["1.0.0", "1.1.0"]) }]);
  const ready = { state: { kind: "ready", digest: digestOf("c") }, index: indexOf(blobs) } as unknown as CatalogContent;
  content.setCatalog("image example.com/cat:1", ready);
  const surroundings = { content, globalNamespace: "olm" } as unknown as Surroundings;
  return { content, ready, controller: updatePolicyController(surroundings, families) };
}

/** For how many installations each policy decides, and the versions that it has seen. */
async function shown(held: readonly KubeObject[], families?: readonly ApiFamily[]): Promise<readonly string[]> {
  const { cluster, error } = await passOf(controllerOf(families).controller, { name: "all" }, held);
  assert.equal(error, undefined);
  return cluster.requests.map((write) => {
    assert.equal(write.verb, "replace");
    const { metadata, status } = write.object as ClusterUpdatePolicy;
    const { installations, firstSeen = [] } = status ?? {};
    const seen = firstSeen.map(({ package: of, bundles, at }) => ` ${of} ${bundles.join()} ${at}`);
    return `${metadata.name} ${installations}${seen.join("")}`;
  });
}

const both = [subscription, extension, source(), catalog()];
const soaking = policy({ soak: "3d" });
const recorded = " op op.v1.1.0 2026-01-01T00:00:00Z";
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const table: readonly (readonly [string, readonly KubeObject[], readonly ApiFamily[], readonly string[]])[] = [
  ["installations of both APIs", [...both, policy(), own], ["v0", "v1"], ["own 1", "policy 2"]],
  ["Subscriptions alone where OLM v1 is off", [...both, policy()], ["v0"], ["policy 1"]],
  ["ClusterExtensions alone where OLM v0 is off", [...both, policy()], ["v1"], ["policy 1"]],
  ["no installation", [policy()], ["v0", "v1"], ["policy 0"]],
  ["what its CatalogSource offers a Subscription", [subscription, source(), soaking], ["v0"], [`policy 1${recorded}`]],
  [
    "what its ClusterCatalogs offer a ClusterExtension",
    [extension, catalog(), soaking],
    ["v1"],
    [`policy 1${recorded}`],
  ],
  ["nothing of a CatalogSource that is being deleted", [subscription, source(deleted), soaking], ["v0"], ["policy 1"]],
  ["nothing of a ClusterCatalog that is being deleted", [extension, catalog(deleted), soaking], ["v1"], ["policy 1"]],
  ["nothing without soak", [extension, catalog(), policy({ level: "minor" })], ["v1"], ["policy 1"]],
  ["nothing without policies", both, ["v0", "v1"], []],
];
for (const [what, held, families, expected] of table)
  test(`policies show ${what}`, async () => assert.deepEqual((await shown(held, families)).toSorted(), expected));

test("a refused status fails the pass", async () => {
  const { error } = await passOf(controllerOf().controller, { name: "all" }, [policy()], ["clusterupdatepolicies"]);
  assert.match(error ?? "", /is forbidden: denied by test/);
});

for (const [families, expected] of [
  [["v0"], [1, 1, 0, 0]],
  [["v1"], [0, 0, 1, 1]],
] as const)
  test(`changes of policies and of what ${families.join()} installs run the one key`, () => {
    const { controller } = controllerOf(families);
    const woken = (changed: KubeObject): number => {
      const keys = requeuedBy(controller, changed);
      assert.ok(keys.every((key) => key === "all"));
      return keys.length;
    };
    assert.deepEqual([policy(), own].map(woken), [1, 1]);
    assert.deepEqual([subscription, source(), extension, catalog()].map(woken), expected);
  });

test("a catalog that was read runs it, a bundle and a time do not", async () => {
  const { content, ready, controller } = controllerOf();
  const ended = new AbortController();
  const woken: string[] = [];
  const listening = (async () => {
    for await (const { name } of controller.wakes[0]?.(ended.signal, cacheOf(controller, [])) ?? []) woken.push(name);
  })();
  const seen: string[] = [];
  for (const notice of [
    () => content.setCatalog("image example.com/cat:1", ready),
    () => content.tryLater("image example.com/cat:1"),
    () => content.setBundle("op", { state: ready.state, objects: undefined }),
  ]) {
    notice();
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(woken.splice(0).join(" "));
  }
  assert.deepEqual(seen, ["all", "", ""]);
  ended.abort();
  await listening.catch(() => {});
});
