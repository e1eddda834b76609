import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { allSteps, Strides } from "@purser/kubernetes/steps";
import { messageSize } from "../protobuf/message-size.ts";
import { type Ask, configMap, testServer, withNamespace } from "../testing/server.ts";

const tooLarge = "etcdserver: request is too large";

/** A ConfigMap whose labels take about so many bytes in protobuf. */
function labelled(name: string, bytes: number): JsonObject {
  const each = 80;
  const labels = Object.fromEntries(
    Array.from({ length: Math.floor(bytes / each) }, (_, number) => [
      `k${String(number).padStart(10, "0")}`,
      "x".repeat(each - 11 - 6),
    ]),
  );
  return configMap(name, { metadata: { labels } });
}

const post = (path: string, object: JsonObject): Ask => ({ method: "POST", path, body: JSON.stringify(object) });

const noteDefinition: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "notes.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "notes", singular: "note", kind: "Note", listKind: "NoteList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};

test("an object beyond etcd's limit is refused as kube-apiserver on etcd refuses it, but for dry runs", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  const kibibyte = 1024;
  assert.equal((await api.ask(post(path, labelled("fits", 1200 * kibibyte)))).code, 201);
  const refused = await api.ask(post(path, labelled("large", 1600 * kibibyte)));
  assert.deepEqual([refused.code, refused.message], [500, tooLarge]);
  const beyond = await api.ask(post(path, labelled("huge", 2200 * kibibyte)));
  assert.equal(beyond.code, 500);
  assert.match(
    beyond.message,
    /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(\d{7} vs\. 2097152\)$/u,
  );
  assert.equal((await api.ask({ path: `${path}/large` })).code, 404);
  assert.equal((await api.ask(post(`${path}?dryRun=All`, labelled("large", 1600 * kibibyte)))).code, 201);
  const invalid = await api.ask(post(path, labelled("Large", 1600 * kibibyte)));
  assert.equal(invalid.code, 422, "validation comes first");
  const put = await api.ask({
    method: "PUT",
    path: `${path}/fits`,
    body: JSON.stringify(labelled("fits", 1600 * kibibyte)),
  });
  assert.deepEqual([put.code, put.message], [500, tooLarge]);
  await api.server.stop();
});

test("managed fields that make an object too large are not stored, except where an apply made them", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  const object = labelled("map", 1350 * 1024);
  const created = await api.ask(post(path, object));
  assert.equal(created.code, 201, created.message);
  assert.equal((created.object["metadata"] as JsonObject)["managedFields"], undefined);
  const applied = await api.ask({
    method: "PATCH",
    path: `${path}/applied?fieldManager=test`,
    body: JSON.stringify({ ...object, metadata: { ...(object["metadata"] as JsonObject), name: "applied" } }),
    headers: { "content-type": "application/apply-patch+yaml" },
  });
  assert.deepEqual([applied.code, applied.message], [500, tooLarge]);
  await api.server.stop();
});

test("a custom resource counts with its JSON text", async () => {
  const api = await testServer();
  await withNamespace(api, "demo");
  const definition = noteDefinition;
  const made = await api.ask(post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition));
  assert.equal(made.code, 201, made.message);
  const note = (name: string, length: number): Ask =>
    post("/apis/example.com/v1/namespaces/demo/notes", {
      apiVersion: "example.com/v1",
      kind: "Note",
      metadata: { name },
      // Two bytes of UTF-8 each.
      spec: { text: "é".repeat(length) },
    });
  assert.equal((await api.ask(note("fits", 700 * 1024))).code, 201);
  const refused = await api.ask(note("large", 800 * 1024));
  assert.deepEqual([refused.code, refused.message], [500, tooLarge]);
  await api.server.stop();
});

test("a refusal names the size that kube-apiserver 1.36.3 sends to etcd in the end, without managed fields", async () => {
  const api = await testServer();
  await withNamespace(api, "etcdtest");
  const sentences = async (path: string, objects: readonly JsonObject[]): Promise<readonly string[]> => {
    const messages: string[] = [];
    for (const object of objects) {
      const { code, message } = await api.ask(post(`${path}?fieldManager=kubectl`, object));
      assert.equal(code === 201 ? 201 : 500, code, message);
      messages.push(message.replace(/^.*\((?<size>\d+) vs\. 2097152\)$/u, "$<size>"));
    }
    return messages;
  };
  const maps = [1_560_000, 1_600_000, 2_050_000, 2_090_000, 2_100_000, 2_200_000, 2_400_000].map((bytes) => {
    const labels = Array.from({ length: bytes / 80 }, (_, number) => [
      `k${String(number).padStart(10, "0")}`,
      "x".repeat(63),
    ]);
    const metadata = { name: `a${bytes}`, labels: Object.fromEntries(labels) as JsonObject };
    return { apiVersion: "v1", kind: "ConfigMap", metadata };
  });
  assert.deepEqual(await sentences("/api/v1/namespaces/etcdtest/configmaps", maps), [
    "",
    tooLarge,
    tooLarge,
    tooLarge,
    "2100212",
    "2200212",
    "2400212",
  ]);
  const definition = noteDefinition;
  assert.equal((await api.ask(post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition))).code, 201);
  const notes = [1_572_000, 1_572_600, 2_096_000, 2_097_000, 2_200_000, 3_000_000].map((bytes) => ({
    apiVersion: "example.com/v1",
    kind: "Note",
    metadata: { name: `n${bytes}` },
    spec: { text: "x".repeat(bytes) },
  }));
  assert.deepEqual(await sentences("/apis/example.com/v1/namespaces/etcdtest/notes", notes), [
    "",
    tooLarge,
    tooLarge,
    "2097337",
    "2200337",
    "3000337",
  ]);
  await api.server.stop();
});

test("a message has the size that its encoder writes, and is measured with pauses", () => {
  const size = (name: string, object: JsonObject): number => allSteps(messageSize(name, object, new Strides()));
  // Tag, length and content of each field.
  assert.equal(size("core.v1.ConfigMap", { data: { a: "bcd" } }), 2 + (2 + 1) + (2 + 3));
  assert.equal(size("core.v1.Secret", { data: { a: "QUJD" } }), 2 + (2 + 1) + (2 + 3));
  assert.equal(size("core.v1.ConfigMap", { immutable: true, metadata: { name: "é" } }), 2 + 2 + (2 + 2));
  assert.equal(size("core.v1.ContainerPort", { containerPort: 300, protocol: "TCP" }), 1 + 2 + (2 + 3));
  assert.equal(size("core.v1.Volume", { name: "v", emptyDir: {} }), 2 + 1 + (2 + 2));
  assert.equal(size("meta.v1.ManagedFieldsEntry", { fieldsV1: { "f:a": {} } }), 2 + 2 + 10);
  assert.equal(size("core.v1.ResourceRequirements", { limits: { cpu: "1" } }), 2 + (2 + 3) + (2 + 2 + 1));
  const data = Object.fromEntries(Array.from({ length: 50_000 }, (_, number) => [`k${number}`, "x"]));
  let steps = 0;
  for (const walk = messageSize("core.v1.ConfigMap", { data }, new Strides()); walk.next().done !== true;) steps++;
  assert.ok(steps >= 10, `${steps} pauses`);
});
