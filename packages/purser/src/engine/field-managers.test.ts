// Who writes which fields: what users apply stays theirs, and what Purser writes has one field manager for each purpose.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions, deployments, serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { written } from "@purser/kubernetes/kube/refusal";
import {
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

const never = new AbortController().signal;
const metadata = (name: string, namespace?: string): KubeObject["metadata"] => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  labels: { "app.example/instance": "site" },
  annotations: { "app.example/tracked": "yes" },
});

/** What a repository holds, as a tool applies it. */
const applied: readonly (readonly [ResourceType, KubeObject & { readonly spec: object }])[] = [
  [
    operatorGroups,
    {
      apiVersion: "operators.coreos.com/v1",
      kind: "OperatorGroup",
      metadata: metadata("group", "ops"),
      spec: { targetNamespaces: ["ops"] },
    },
  ],
  [
    subscriptions,
    {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: metadata("logbook-db", "ops"),
      spec: { name: "logbook-db", source: "demo", sourceNamespace: "olm", channel: "stable" },
    },
  ],
  [
    clusterExtensions,
    {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: metadata("ballast-cache"),
      spec: {
        namespace: "cache",
        source: {
          sourceType: "Catalog",
          catalog: { packageName: "ballast-cache", upgradeConstraintPolicy: "CatalogProvided" },
        },
      },
    },
  ],
];

let world: World;
const apply = async (type: ResourceType, object: KubeObject): Promise<KubeObject | undefined> =>
  written(await world.client.write({ verb: "apply", type, object, fieldManager: "repository", force: false }, never))
    .object;

before(async () => {
  world = await World.open();
  await world.namespace("ops");
  await world.namespace("cache");
  for (const [type, object] of applied) await apply(type, object);
  await world.reaches(
    clusterServiceVersions,
    { namespace: "ops", name: "logbook-db.v1.2.0" },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
  await world.reaches(
    clusterExtensions,
    { name: "ballast-cache" },
    "Ready",
    ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true,
  );
  await world.settled();
});
after(() => world.stop());

/** `MANAGER OPERATION [SUBRESOURCE]: FIELDS` of an object, sorted. */
async function managersOf(type: ResourceType, key: ObjectKey): Promise<readonly string[]> {
  const object = await world.client.get(type, key);
  assert.ok(object !== undefined, key.name);
  return (object.metadata.managedFields ?? [])
    .map(({ manager, operation, subresource, fieldsV1 }) => {
      const fields = Object.entries((fieldsV1 ?? {}) as Readonly<Record<string, object>>).flatMap(([name, below]) =>
        name === "f:metadata" ? Object.keys(below).map((part) => part.slice(2)) : [name.slice(2)],
      );
      return `${manager} ${operation}${subresource === undefined ? "" : ` ${subresource}`}: ${fields.toSorted().join(" ")}`;
    })
    .toSorted();
}

for (const [type, object] of applied)
  test(`a ${object.kind} that a repository applies is written by Purser in its status and metadata only, and applying it again changes nothing`, async () => {
    const others = (await managersOf(type, keyOf(object))).filter((line) => !line.startsWith("repository "));
    const allowed =
      /^purser Update( status)?: (status|annotations|labels|finalizers)( (annotations|labels|finalizers))*$/;
    for (const line of others) assert.match(line, allowed);
    const before = await world.client.get(type, keyOf(object));
    const again = await apply(type, object);
    assert.equal(again?.metadata.resourceVersion, before?.metadata.resourceVersion);
    const { spec } = again as typeof object;
    for (const [field, value] of Object.entries(object.spec))
      assert.deepEqual((spec as Readonly<Record<string, unknown>>)[field], value, `spec.${field}`);
    for (const [name, value] of Object.entries({ ...object.metadata.labels, ...object.metadata.annotations }))
      assert.equal({ ...again?.metadata.labels, ...again?.metadata.annotations }[name], value);
  });

const status = "purser Update status: status";
/** One manager for each purpose: revisions, the objects of bundles of OLM v1, and all else. */
const table: readonly (readonly [ResourceType, ObjectKey, readonly string[]])[] = [
  [
    clusterObjectSets,
    { name: "ballast-cache-1" },
    [
      "olm.operatorframework.io/clusterextension-controller Apply: annotations labels ownerReferences spec",
      "purser Update: finalizers",
      status,
    ],
  ],
  [
    deployments,
    { namespace: "cache", name: "ballast-cache-controller" },
    [
      "kube-controller-manager Update status: annotations status",
      "olm.operatorframework.io Update: annotations labels ownerReferences spec",
    ],
  ],
  [
    serviceAccounts,
    { namespace: "cache", name: "ballast-cache-controller" },
    ["olm.operatorframework.io Update: annotations labels ownerReferences"],
  ],
  [
    clusterServiceVersions,
    { namespace: "ops", name: "logbook-db.v1.2.0" },
    ["purser Update: annotations finalizers labels spec", status],
  ],
  [
    deployments,
    { namespace: "ops", name: "logbook-db-controller" },
    ["kube-controller-manager Update status: annotations status", "purser Update: labels ownerReferences spec"],
  ],
  [
    customResourceDefinitions,
    { name: "ledgers.logbook.demo.purser.dev" },
    ["kube-apiserver Update status: status", "purser Update: annotations labels spec"],
  ],
  [
    customResourceDefinitions,
    { name: "subscriptions.operators.coreos.com" },
    ["kube-apiserver Update status: status", "purser Apply: spec"],
  ],
];
for (const [type, key, wanted] of table)
  test(`${type.kind} ${key.name} has the field managers of its purposes`, async () =>
    assert.deepEqual(await managersOf(type, key), wanted.toSorted()));

test("an InstallPlan is Purser's own, but for its approval", async () => {
  const [plan] = await world.client.list(installPlans, { namespace: "ops" });
  assert.ok(plan !== undefined);
  assert.deepEqual(await managersOf(installPlans, keyOf(plan)), [status, "purser Update: labels ownerReferences spec"]);
});

test("nothing is written at rest, so that a tool finds no difference later", async () => {
  const before = world.engineWrites.length;
  for (const [type, object] of applied) await apply(type, object);
  await world.pause(300);
  await world.settled();
  assert.deepEqual(world.engineWrites.slice(before), []);
});
