import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { configMaps, customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { ApiRefusedError, refusalOf } from "@purser/kubernetes/kube/refusal";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { liveObjects, storedCount } from "./live-objects.ts";

const signal = new AbortController().signal;
let server: ApiServer;
let client: KubeClient;

const crdOf = (plural: string, required: readonly string[], more: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.g.io` },
  spec: {
    group: "g.io",
    scope: "Namespaced",
    names: { kind: `Kind${plural}`, plural },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { a: { type: "string" }, b: { type: "string" } },
            ...(required.length === 0 ? {} : { required }),
          },
        },
      },
    ],
    ...more,
  },
});

async function create(type: ResourceType, object: object): Promise<void> {
  const written = await client.write({ verb: "create", type, object: object as KubeObject }, signal);
  assert.ok(written.ok, JSON.stringify(written));
}

const kindas: ResourceType = { group: "g.io", version: "v1", kind: "Kindas", plural: "as", namespaced: true };

before(async () => {
  server = await createApiServer({
    clock: new VirtualClock(Date.parse("2026-01-01T00:00:00Z")),
    entropy: new SeededEntropy(1),
    controllers: false,
  });
  client = createClient(server.transport());
  await create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } });
  await create(configMaps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "ns", name: "c" },
    data: { a: "1" },
  });
  for (const plural of ["as", "bs"]) await create(customResourceDefinitions, crdOf(plural, []));
  for (const [name, fields] of [
    ["x", { a: "1" }],
    ["y", {}],
    ["z", { a: "1", b: "1" }],
  ] as const)
    await create(kindas, { apiVersion: "g.io/v1", kind: "Kindas", metadata: { namespace: "ns", name }, ...fields });
});
after(() => server.stop());

const configMap = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "ns", name },
});

test("objects that exist have a live state; those that do not, or whose kind is not served, have none", async () => {
  const { live, stored } = await liveObjects(client, [
    configMap("c"),
    configMap("missing"),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } },
    { apiVersion: "none.io/v1", kind: "None", metadata: { name: "ns" } },
    { kind: "ConfigMap", metadata: { namespace: "ns", name: "unversioned" } },
  ]);
  assert.deepEqual([...live.keys()], ["ConfigMap ns/c ", "Namespace ns "]);
  assert.deepEqual([live.get("ConfigMap ns/c ")?.["data"], stored.size], [{ a: "1" }, 0]);
});

test("custom resources of a CRD are counted, with those that the new version refuses; the last of two objects counts", async () => {
  const conversion = {
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://example.com/" } },
    },
  };
  const found = async (...crds: readonly object[]) => [
    ...(await liveObjects(client, crds as readonly JsonObject[])).stored,
  ];
  const versions = ["v1"];
  assert.deepEqual(await found(crdOf("as", ["a", "b"]), crdOf("as", [])), [
    ["as.g.io", { count: 3, versions, refused: [] }],
  ]);
  assert.deepEqual(await found(crdOf("as", []), crdOf("as", ["a"]), crdOf("bs", ["a"], conversion)), [
    ["as.g.io", { count: 3, versions, refused: [{ object: "ns/y", fields: "a: Required value" }] }],
    ["bs.g.io", { count: 0, versions, refused: [] }],
  ]);
  const [[, converted] = []] = await found(crdOf("as", ["a", "b"], conversion));
  assert.deepEqual(converted, {
    count: 3,
    versions,
    refused: [
      { object: "ns/x", fields: "b: Required value" },
      { object: "ns/y", fields: "[a: Required value, b: Required value]" },
    ],
    converts: true,
  });
});

test("custom resources that may not be listed are not counted; other failures are reported", async () => {
  const refusing = (code: number, reason: string) => ({
    get: client.get.bind(client),
    list: () => Promise.reject(new ApiRefusedError(refusalOf({ code, reason, message: "refused" }))),
  });
  const crd = crdOf("as", []) as never;
  assert.equal(await storedCount(client, crd), 3);
  assert.equal(await storedCount(refusing(403, "Forbidden"), crd), undefined);
  await assert.rejects(storedCount(refusing(500, "InternalError"), crd), ApiRefusedError);
  const { spec, ...rest } = crdOf("as", []);
  const unserved = { ...rest, spec: { ...spec, versions: spec.versions.map((one) => ({ ...one, served: false })) } };
  assert.equal(await storedCount(client, unserved as never), undefined);
});
