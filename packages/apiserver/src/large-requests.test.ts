import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Ask, TestServer } from "./testing/server.ts";
import { configMap, testServer, withNamespace } from "./testing/server.ts";

/** How many turns of the event loop others get until the request is answered. */
async function turnsDuring(api: TestServer, ask: Ask, code: number): Promise<number> {
  let turns = 0;
  let isOver = false;
  const answered = api.ask(ask).finally(() => (isOver = true));
  for (; !isOver; turns++) await nextTurn();
  const answer = await answered;
  assert.equal(answer.code, code, answer.message);
  return turns;
}

const labels = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`key-${number}`, "x"]));

test("each step of a write over a large object is a turn of its own, and a small one is written at once", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  const body = (name: string, count: number): string =>
    JSON.stringify(configMap(name, { metadata: { labels: labels(count) } }));
  const make = (name: string, count: number): Ask => ({ method: "POST", path, body: body(name, count) });
  const small = await turnsDuring(api, make("small", 3), 201);
  assert.ok(small <= 2, `${small} turns for a small object`);
  const large = await turnsDuring(api, make("large", 20_000), 201);
  assert.ok(large >= 7, `${large} turns for a large object`);
  const replaced = await turnsDuring(api, { method: "PUT", path: `${path}/large`, body: body("large", 19_999) }, 200);
  assert.ok(replaced >= 7, `${replaced} turns for its replacement`);
  const patched = await turnsDuring(
    api,
    {
      method: "PATCH",
      path: `${path}/large`,
      body: JSON.stringify({ data: { a: "b" } }),
      headers: { "content-type": "application/merge-patch+json" },
    },
    200,
  );
  assert.ok(patched >= 5, `${patched} turns for a small patch of it`);
  await api.server.stop();
});

test("the passes over the fields of a large object are turns of their own", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  const data = (count: number, value: string): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, number) => [`key-${number}`, value]));
  const apply = (name: string, count: number, value: string, manager: string): Ask => ({
    method: "PATCH",
    path: `${path}/${name}?fieldManager=${manager}&force=true`,
    body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: data(count, value) }),
    headers: { "content-type": "application/apply-patch+yaml" },
  });
  await turnsDuring(api, apply("small", 3, "a", "one"), 201);
  const small = await turnsDuring(api, apply("small", 3, "b", "two"), 200);
  assert.ok(small <= 2, `${small} turns for a small apply`);
  const first = await turnsDuring(api, apply("large", 10_000, "a", "one"), 201);
  assert.ok(first >= 15, `${first} turns for a large apply`);
  const second = await turnsDuring(api, apply("large", 9000, "b", "two"), 200);
  assert.ok(second >= 20, `${second} turns for another one over it`);
  const put: Ask = { method: "PUT", path: `${path}/large`, body: configMap("large", { data: data(9000, "c") }) };
  const replaced = await turnsDuring(api, { ...put, body: JSON.stringify(put.body) }, 200);
  assert.ok(replaced >= 20, `${replaced} turns for a PUT`);
  await api.server.stop();
});

test("a write from within the process has its turns as one over a socket has", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  const body = (name: string, count: number): JsonObject => configMap(name, { metadata: { labels: labels(count) } });
  const make = (name: string, count: number): Ask => ({ method: "POST", path, body: body(name, count) });
  const small = await turnsDuring(api, make("small", 3), 201);
  assert.ok(small <= 2, `${small} turns for a small object`);
  const large = await turnsDuring(api, make("large", 20_000), 201);
  assert.ok(large >= 5, `${large} turns for a large object`);
  const apply: Ask = {
    method: "PATCH",
    path: `${path}/applied?fieldManager=test`,
    body: body("applied", 20_000),
    headers: { "content-type": "application/apply-patch+yaml" },
  };
  const applied = await turnsDuring(api, apply, 201);
  assert.ok(applied >= 10, `${applied} turns for a large apply`);
  await api.server.stop();
});

test("the schema of a large definition is checked in several turns", async () => {
  const api = await testServer();
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const definition = (plural: string, fields: number, rules: number): Ask => {
    const properties = Object.fromEntries(
      Array.from({ length: fields }, (_, number) => [
        `field-${number}`,
        {
          type: "string",
          maxLength: 10,
          description: "x".repeat(100),
          ...(number < rules ? { "x-kubernetes-validations": [{ rule: "self != ''" }] } : {}),
        },
      ]),
    );
    const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
    const kind = plural.charAt(0).toUpperCase() + plural.slice(1);
    const spec = {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, singular: plural, kind, listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    };
    const metadata = { name: `${plural}.example.com` };
    const object = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec };
    return { method: "POST", path, body: JSON.stringify(object) };
  };
  const small = await turnsDuring(api, definition("smalls", 3, 1), 201);
  assert.ok(small <= 2, `${small} turns for a small definition`);
  const plain = await turnsDuring(api, definition("plains", 1000, 0), 201);
  const ruled = await turnsDuring(api, definition("ruleds", 1000, 80), 201);
  assert.ok(plain >= 22, `${plain} turns for a large one`);
  assert.ok(ruled >= plain + 9, `${ruled} turns for one with 80 rules, ${plain} without`);
  await api.server.stop();
});

test("the operations of a long JSON patch and the duplicate keys of a body are read in several turns", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  await api.ask({ method: "POST", path, body: configMap("map", { data: { a: "b" } }) });
  const patch = (count: number): Ask => ({
    method: "PATCH",
    path: `${path}/map`,
    body: JSON.stringify(
      Array.from({ length: count }, (_, number) => ({ op: "add", path: `/data/key-${number}`, value: "x" })),
    ),
    headers: { "content-type": "application/json-patch+json" },
  });
  const short = await turnsDuring(api, patch(3), 200);
  assert.ok(short <= 2, `${short} turns for three operations`);
  const long = await turnsDuring(api, patch(10_000), 200);
  assert.ok(long >= 35, `${long} turns for 10,000`);
  const members = Array.from({ length: 20_000 }, () => '"a":"b"').join();
  const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{${members}}}`;
  const repeated = await turnsDuring(api, { method: "POST", path, body }, 201);
  assert.ok(repeated >= 30, `${repeated} turns for members that stand twice`);
  await api.server.stop();
});

test("a write between the steps of a large one is not lost", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  await api.ask({
    method: "POST",
    path,
    body: JSON.stringify(configMap("map", { metadata: { labels: labels(5000) } })),
  });
  const patch = (data: JsonObject): Ask => ({
    method: "PATCH",
    path: `${path}/map`,
    body: JSON.stringify({ data }),
    headers: { "content-type": "application/merge-patch+json" },
  });
  let isOver = false;
  const large = api.ask(patch({ large: "x".repeat(100_000) })).finally(() => (isOver = true));
  for (let turn = 0; turn < 6; turn++) await nextTurn();
  assert.ok(!isOver);
  const live = api.storage.get("configmaps", "demo/map");
  assert.ok(live !== undefined);
  api.storage.put("configmaps", "demo/map", { ...live, data: { small: "y" } } as typeof live);
  assert.equal((await large).code, 200);
  const { data } = (await api.ask({ path: `${path}/map` })).object as { data: Record<string, string> };
  assert.deepEqual(Object.keys(data).toSorted(), ["large", "small"]);
  await api.server.stop();
});

test("a list with a selector of thousands of requirements is chosen in several turns", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  for (let number = 0; number < 100; number++)
    await api.ask({ method: "POST", path, body: configMap(`map-${number}`, { metadata: { labels: { a: "b" } } }) });
  const list = (requirements: number): Ask => ({
    path: `${path}?labelSelector=${Array.from({ length: requirements }, (_, number) => `!key-${number}`).join(",")}`,
  });
  const few = await turnsDuring(api, list(1), 200);
  assert.ok(few <= 2, `${few} turns with one requirement`);
  const many = await turnsDuring(api, list(4000), 200);
  assert.ok(many >= 10, `${many} turns with 4,000`);
  await api.server.stop();
});

test("hundreds of warnings fit into the head of an answer", async () => {
  const api = await testServer();
  const demo = await withNamespace(api, "demo");
  const env = Array.from({ length: 300 }, () => ({ name: "TWICE", value: "x" }));
  const spec = { containers: [{ name: "c", image: "i", env }] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "pod" }, spec };
  const answer = await api.ask({ method: "POST", path: `${demo}/pods`, body: pod });
  assert.equal(answer.code, 201, answer.message);
  assert.match(answer.warnings[0] ?? "", /^spec\.containers\[0\]\.env\[1\]: hides previous definition of "TWICE"/u);
  const length = answer.warnings.join("").length;
  assert.ok(length >= 4096 && length < 4096 + 256, `${length} characters of warnings`);
  await api.server.stop();
});

test("lists of 150,000 items are no arguments of a call", async () => {
  const api = await testServer();
  const demo = await withNamespace(api, "demo");
  const many = <Item>(item: (number: number) => Item): readonly Item[] =>
    Array.from({ length: 150_000 }, (_, number) => item(number));
  const review = await api.ask({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: "u",
        groups: many((number) => `g${number}`),
        resourceAttributes: { verb: "get", resource: "pods" },
      },
    },
  });
  assert.equal(review.code, 201, review.message);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "bytes" }, data: { a: many(() => 65) } };
  const made = await api.ask({ method: "POST", path: `${demo}/secrets`, body: JSON.stringify(secret) });
  assert.equal(made.code, 201, made.message);
  await api.server.stop();
});
