import assert from "node:assert/strict";
import { test } from "node:test";
import { testServer } from "./testing/server.ts";

test("10,000 watches all see a write, and the server answers on when they all stop at once", async () => {
  const api = await testServer();
  const path = "/api/v1/namespaces/default/configmaps";
  const watches = await Promise.all(
    Array.from({ length: 10_000 }, () => api.watch(`${path}?watch=1&fieldSelector=metadata.name%3Dseen`)),
  );
  assert.ok(watches.every(({ code }) => code === 200));
  const created = await api.ask({
    method: "POST",
    path,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" } },
  });
  assert.equal(created.code, 201);
  const events = await Promise.all(watches.map((open) => open.next()));
  assert.equal(
    events.filter((event) => event?.type === "ADDED" && event.object.metadata.name === "seen").length,
    10_000,
  );
  for (const open of watches) open.stop();
  assert.equal((await api.ask({ path })).code, 200);
  await api.server.stop();
});
