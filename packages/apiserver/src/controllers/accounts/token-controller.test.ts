import assert from "node:assert/strict";
import { test } from "node:test";
import { objectAt, objectIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { testServer, withNamespace } from "../../testing/server.ts";

test("a service account token Secret is filled, and deleted with the service account", async () => {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  const path = "/api/v1/namespaces/demo/secrets";
  const annotations = { "kubernetes.io/service-account.name": "default" };
  const type = "kubernetes.io/service-account-token";
  await server.ask({ method: "POST", path, body: { metadata: { name: "t", annotations }, type } });
  await server.server.settled();
  const { object } = await server.ask({ path: `${path}/t` });
  const data = objectIn(object, "data");
  assert.match(atob(textIn(data, "token")), /^[\w-]+\.[\w-]+\.[\w-]+$/);
  assert.equal(atob(textIn(data, "namespace")), "demo");
  assert.match(atob(textIn(data, "ca.crt")), /^-----BEGIN CERTIFICATE-----/);
  assert.notEqual(objectAt(object, "metadata", "annotations")["kubernetes.io/service-account.uid"], undefined);
  await server.ask({ method: "DELETE", path: "/api/v1/namespaces/demo/serviceaccounts/default" });
  await server.server.settled();
  assert.equal((await server.ask({ path: `${path}/t` })).code, 404);
  await server.server.stop();
});

test("quotas and disruption budgets count existing objects", async () => {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  const pods = "/api/v1/namespaces/demo/pods";
  const quotas = "/api/v1/namespaces/demo/resourcequotas";
  const budgets = "/apis/policy/v1/namespaces/demo/poddisruptionbudgets";
  await server.ask({ method: "POST", path: quotas, body: { metadata: { name: "q" }, spec: { hard: { pods: "3" } } } });
  const spec = { minAvailable: 1, selector: { matchLabels: { a: "b" } } };
  await server.ask({ method: "POST", path: budgets, body: { metadata: { name: "b" }, spec } });
  for (const name of ["p1", "p2"]) {
    const body = { metadata: { name, labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "x" }] } };
    assert.equal((await server.ask({ method: "POST", path: pods, body })).code, 201);
  }
  await server.server.settled();
  const quota = (await server.ask({ path: `${quotas}/q` })).object;
  assert.deepEqual(objectIn(quota, "status"), { hard: { pods: "3" }, used: { pods: "2" } });
  const budget = objectIn((await server.ask({ path: `${budgets}/b` })).object, "status");
  assert.deepEqual([budget["expectedPods"], budget["currentHealthy"], budget["disruptionsAllowed"]], [2, 2, 1]);
  await server.server.stop();
});
