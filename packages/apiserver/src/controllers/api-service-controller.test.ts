import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, objectsIn } from "../kinds/decoding/json-parts.ts";
import { testServer } from "../testing/server.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

test("built-in groups have local APIServices from the start; a definition's APIService is created and deleted with it", async () => {
  const server = await testServer({ controllers: true });
  const apps = (await server.ask({ path: `${services}/v1.apps` })).object;
  assert.equal(objectsIn(objectIn(apps, "status"), "conditions")[0]?.["reason"], "Local");
  const schema = { openAPIV3Schema: { type: "object" } };
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.ex.io" },
    spec: {
      group: "ex.io",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const made = await server.ask({ method: "POST", path: definitions, body });
  assert.equal(made.code, 201, JSON.stringify(made.object));
  await server.server.settled();
  const found = (await server.ask({ path: `${services}/v1.ex.io` })).object;
  assert.deepEqual(objectIn(found, "spec"), {
    group: "ex.io",
    version: "v1",
    groupPriorityMinimum: 1000,
    versionPriority: 100,
  });
  await server.ask({ method: "DELETE", path: `${definitions}/foos.ex.io` });
  await server.server.settled();
  assert.equal((await server.ask({ path: `${services}/v1.ex.io` })).code, 404);
  assert.equal((await server.ask({ path: "/apis/ex.io" })).text, "404 page not found\n");
  await server.server.stop();
});

test("registering the groups of many definitions reads no definition again", async () => {
  const server = await testServer({ controllers: true });
  const definition = (group: string): JsonObject => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `foos.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  const make = async (group: string): Promise<void> => {
    assert.equal((await server.ask({ method: "POST", path: definitions, body: definition(group) })).code, 201);
    await server.server.settled();
  };
  await make("first.io");
  let lists = 0;
  const { storage } = server;
  const list = storage.list.bind(storage);
  storage.list = (table, ...rest) => {
    if (table === "customresourcedefinitions.apiextensions.k8s.io") lists++;
    return list(table, ...rest);
  };
  const groups = Array.from({ length: 10 }, (_, index) => `more${index}.io`);
  for (const group of groups) await make(group);
  assert.equal(lists, 0);
  for (const group of groups) assert.equal((await server.ask({ path: `${services}/v1.${group}` })).code, 200);
  await server.server.stop();
});
