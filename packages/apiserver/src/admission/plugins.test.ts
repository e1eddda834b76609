import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { TestServer } from "../testing/server.ts";
import { testServer, withNamespace } from "../testing/server.ts";

const priorities = "/apis/scheduling.k8s.io/v1/priorityclasses";
let server: TestServer;

before(async () => {
  server = await testServer();
  await withNamespace(server, "demo");
  const body = { metadata: { name: "default" } };
  await server.ask({ method: "POST", path: "/api/v1/namespaces/demo/serviceaccounts", body });
});
after(() => server.server.stop());

describe("admission plug-ins whose effects are cluster-wide", () => {
  test("refuses a second PriorityClass with globalDefault", async () => {
    const body = (name: string, value: number): JsonObject => ({ metadata: { name }, value, globalDefault: true });
    assert.equal((await server.ask({ method: "POST", path: priorities, body: body("one", 7) })).code, 201);
    const answer = await server.ask({ method: "POST", path: priorities, body: body("two", 8) });
    assert.equal(answer.code, 403);
    assert.equal(
      answer.message,
      'priorityclasses.scheduling.k8s.io "two" is forbidden: PriorityClass one is already marked as default. Only one default can exist',
    );
    const headers = { "content-type": "application/merge-patch+json" };
    const again = { method: "PATCH", path: `${priorities}/one`, headers, body: { description: "d" } } as const;
    assert.equal((await server.ask(again)).code, 200);
  });

  test("a pod without priorityClassName gets the global default", async () => {
    const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "x" }] } };
    const answer = await server.ask({ method: "POST", path: "/api/v1/namespaces/demo/pods?dryRun=All", body });
    const spec = answer.object["spec"] as JsonObject;
    assert.deepEqual([spec["priorityClassName"], spec["priority"]], ["one", 7]);
  });

  test("namespace labels are not enforced when PodSecurity is off", async () => {
    const path = "/api/v1/namespaces/demo";
    const headers = { "content-type": "application/merge-patch+json" };
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    const answer = await server.ask({ method: "PATCH", path, headers, body: { metadata: { labels } } });
    assert.equal(answer.code, 200);
    const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "x" }] } };
    const pods = "/api/v1/namespaces/demo/pods?dryRun=All";
    assert.equal((await server.ask({ method: "POST", path: pods, body })).code, 403);
    const off = await testServer({ podSecurity: "off" });
    await withNamespace(off, "demo");
    await off.ask({ method: "PATCH", path, headers, body: { metadata: { labels } } });
    const account = {
      method: "POST",
      path: `${path}/serviceaccounts`,
      body: { metadata: { name: "default" } },
    } as const;
    await off.ask(account);
    assert.equal((await off.ask({ method: "POST", path: pods, body })).code, 201);
    await off.server.stop();
  });
});
