import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, objectsIn, textIn, without } from "../kinds/decoding/json-parts.ts";
import { testServer, withNamespace, type TestServer, type Answer } from "../testing/server.ts";

const core = "/api/v1/namespaces/demo";
const budgets = "/apis/policy/v1/namespaces/demo/poddisruptionbudgets";

async function started(spec: JsonObject): Promise<TestServer> {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  const selector = { matchLabels: { app: "s" } };
  await post(server, budgets, { metadata: { name: "b" }, spec: { selector, ...spec } });
  return server;
}

async function post(server: TestServer, path: string, body: JsonObject): Promise<Answer> {
  const answer = await server.ask({ method: "POST", path, body });
  assert.ok(answer.code < 300, answer.message);
  await server.server.settled();
  return answer;
}

async function workload(server: TestServer, kind: string, spec: JsonObject, result = "ready"): Promise<void> {
  const template = {
    metadata: { labels: { app: "s" }, annotations: { "sim/result": result } },
    spec: { containers: [{ name: "c", image: "i:1" }] },
  };
  const body = { metadata: { name: "s" }, spec: { selector: { matchLabels: { app: "s" } }, template, ...spec } };
  await post(server, `/apis/apps/v1/namespaces/demo/${kind}`, body);
}

async function status(server: TestServer): Promise<JsonObject> {
  return objectIn((await server.ask({ path: `${budgets}/b` })).object, "status");
}

async function counts(server: TestServer): Promise<JsonObject> {
  return without(await status(server), "conditions", "observedGeneration");
}

async function condition(server: TestServer): Promise<string> {
  const [held = {}] = objectsIn(await status(server), "conditions");
  return [textIn(held, "status"), textIn(held, "reason"), textIn(held, "message")].join(" ").trim();
}

async function evict(server: TestServer, name: string): Promise<Answer> {
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
  return server.ask({ method: "POST", path: `${core}/pods/${name}/eviction`, body });
}

function causeOf(answer: Answer): string {
  const [cause = {}] = objectsIn(objectIn(answer.object, "details"), "causes");
  return textIn(cause, "message");
}

test("a budget's condition keeps its position in the list when others add conditions", async () => {
  const server = await started({ minAvailable: 1 });
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const foreign = { type: "Ready", status: "True", reason: "A", message: "", lastTransitionTime };
  const written = await server.ask({
    method: "PATCH",
    path: `${budgets}/b/status`,
    headers: { "content-type": "application/json-patch+json" },
    body: [{ op: "add", path: "/status/conditions/-", value: foreign }],
  });
  assert.equal(written.code, 200, written.message);
  await workload(server, "deployments", { replicas: 2 });
  const held = objectsIn(await status(server), "conditions").map(
    (one) => `${textIn(one, "type")} ${textIn(one, "status")}`,
  );
  assert.deepEqual(held, ["DisruptionAllowed True", "Ready True"]);
  await server.server.stop();
});

test("a budget counts the replicas of the controllers of its pods", async () => {
  for (const [kind, budget, replicas, expected] of [
    ["statefulsets", { minAvailable: "50%" }, 3, [1, 3, 2, 3]],
    ["deployments", { maxUnavailable: 1 }, 3, [1, 3, 2, 3]],
    ["deployments", { maxUnavailable: "40%" }, 4, [2, 4, 2, 4]],
    ["deployments", { minAvailable: 5 }, 2, [0, 2, 5, 2]],
  ] as const) {
    const server = await started(budget);
    await workload(server, kind, { replicas });
    const [disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods] = expected;
    assert.deepEqual(
      await counts(server),
      { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods },
      JSON.stringify(budget),
    );
    const allowed = disruptionsAllowed > 0 ? "True SufficientPods" : "False InsufficientPods";
    assert.equal(await condition(server), allowed);
    await server.server.stop();
  }
});

test("a budget over pods whose controller has no scale subresource reports SyncFailed and allows no disruptions", async () => {
  const server = await started({ maxUnavailable: 1 });
  await workload(server, "daemonsets", {});
  assert.equal(await condition(server), "False SyncFailed daemonsets.apps does not implement the scale subresource");
  const [pod = {}] = objectsIn((await server.ask({ path: `${core}/pods` })).object, "items");
  const answer = await evict(server, textIn(objectIn(pod, "metadata"), "name"));
  assert.equal(answer.code, 429);
  const failed = "failed sync: daemonsets.apps does not implement the scale subresource";
  assert.equal(causeOf(answer), `The disruption budget b does not allow evicting pods currently because it ${failed}`);
  await server.server.stop();
});

test("an eviction decrements disruptionsAllowed before it deletes the pod, and the next one is refused", async () => {
  const server = await started({ minAvailable: 1 });
  await workload(server, "statefulsets", { replicas: 2 });
  const watch = await server.watch(`${core}/pods?watch=true&fieldSelector=metadata.name=s-0`);
  const first = await evict(server, "s-0");
  assert.equal(first.code, 201, first.message);
  const second = await evict(server, "s-1");
  assert.equal(second.code, 429);
  assert.equal(second.message, "Cannot evict pod as it would violate the pod's disruption budget.");
  assert.match(causeOf(second), /^The disruption budget b /);
  await server.server.settled();
  assert.deepEqual(await counts(server), {
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
  });
  for (let seen = ""; seen !== "EvictionByEvictionAPI";) {
    const pod = (await watch.next())?.object as unknown as JsonObject;
    const target = objectsIn(objectIn(pod, "status"), "conditions").find(({ type }) => type === "DisruptionTarget");
    seen = textIn(target ?? {}, "reason");
  }
  await server.server.stop();
});

test("an unready pod may be evicted while enough others are healthy, or always under AlwaysAllow", async () => {
  for (const [budget, code] of [
    [{ minAvailable: 1 }, 429],
    [{ minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" }, 201],
  ] as const) {
    const server = await started(budget);
    await workload(server, "statefulsets", { replicas: 1 }, "never-ready");
    assert.equal((await evict(server, "s-0")).code, code);
    await server.server.stop();
  }
});

test("an eviction whose name differs from the pod's, or of a pod with two budgets, is refused", async () => {
  const server = await started({ minAvailable: 0 });
  await workload(server, "statefulsets", {});
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "other" } };
  const other = await server.ask({ method: "POST", path: `${core}/pods/s-0/eviction`, body });
  assert.deepEqual([other.code, other.message], [400, "name in URL does not match name in Eviction object"]);
  await post(server, budgets, { metadata: { name: "c" }, spec: { selector: {}, minAvailable: 0 } });
  const both = await evict(server, "s-0");
  assert.equal(both.code, 500);
  assert.match(both.message, /^This pod has more than one PodDisruptionBudget/);
  await server.server.stop();
});
