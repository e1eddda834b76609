import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectAt } from "../kinds/decoding/json-parts.ts";
import { started, type TestServer } from "../testing/server.ts";

const quotas = "/api/v1/namespaces/demo/resourcequotas";

async function post(server: TestServer, path: string, body: JsonObject): Promise<void> {
  const answer = await server.ask({ method: "POST", path, body });
  assert.equal(answer.code, 201, answer.message);
  await server.server.settled();
}

async function used(server: TestServer): Promise<JsonObject> {
  return objectAt((await server.ask({ path: `${quotas}/q` })).object, "status", "used");
}

test("a quota counts custom resources once they are served, and keeps the last count when they no longer are", async () => {
  const server = await started();
  const hard = { "count/widgets.ex.io": "5", "count/gadgets.ex.io": "5" };
  await post(server, quotas, { metadata: { name: "q" }, spec: { hard } });
  assert.deepEqual(await used(server), {});
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const schema = { openAPIV3Schema: { type: "object" } };
  await post(server, definitions, {
    metadata: { name: "widgets.ex.io" },
    spec: {
      group: "ex.io",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  const widget = { apiVersion: "ex.io/v1", kind: "Widget", metadata: { name: "w" } };
  await post(server, "/apis/ex.io/v1/namespaces/demo/widgets", widget);
  assert.deepEqual(await used(server), { "count/widgets.ex.io": "1" });
  await server.ask({ method: "DELETE", path: `${definitions}/widgets.ex.io` });
  await server.server.settled();
  const headers = { "content-type": "application/merge-patch+json" };
  await server.ask({ method: "PATCH", path: `${quotas}/q`, headers, body: { spec: { hard: { pods: "1" } } } });
  await server.server.settled();
  const kept = await used(server);
  assert.deepEqual(Object.keys(kept).toSorted(), ["count/widgets.ex.io", "pods"]);
  await server.server.stop();
});
