import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import type { JsonObject } from "../json.ts";
import type { Ask, TestServer } from "./testing/server.ts";
import { configMap, testServer, withNamespace } from "./testing/server.ts";

/** How many turns of the event loop others get until the request is answered. */
async function turnsDuring(api: TestServer, ask: Ask, code: number): Promise<number> {
  let turns = 0;
  let isOver = false;
  const answered = api.ask(ask).finally(() => (isOver = true));
  for (; !isOver; turns++) await nextTurn();
  const told = await answered;
  assert.equal(told.code, code, told.message);
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
