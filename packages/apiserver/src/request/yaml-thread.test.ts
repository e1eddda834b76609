import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { type Ask, configMap, testServer, withNamespace } from "../testing/server.ts";
import { YamlThread, yamlThread } from "./yaml-thread.ts";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `  key-${index}: value ${index}\n`).join("");
const yaml = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata:\n${data}`;

const post = (path: string, body: string): Ask => ({
  method: "POST",
  path,
  body,
  headers: { "content-type": "application/yaml" },
});

test("a long YAML body is read as a short one is: numbers, order, repeated keys and refusals", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  for (const [size, count] of [
    ["short", 10],
    ["long", 10_000],
  ] as const) {
    const made = await api.ask(post(path, yaml(size, lines(count))));
    assert.equal(made.code, 201, made.message);
    assert.deepEqual((made.object as { data?: JsonObject }).data?.["key-7"], "value 7");
    const strict = `${path}?fieldValidation=Strict`;
    const twice = await api.ask(post(strict, yaml("twice", `  key-3: again\n${lines(count)}`)));
    assert.equal(twice.code, 400);
    assert.match(
      twice.message,
      /strict decoding error: yaml: unmarshal errors:\n {2}line 9: key "key-3" already set in map$/u,
    );
    const number = await api.ask(post(path, yaml("number", `${lines(count)}  n: 12345678901234567890\n`)));
    assert.equal(number.code, 400);
    assert.match(number.message, /json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/u);
    const broken = await api.ask(post(path, yaml("broken", `${lines(count)}  - a\n`)));
    assert.equal(broken.code, 400);
    assert.match(broken.message, new RegExp(`yaml: line ${count + 4}: did not find expected key`, "u"));
    const applied = await api.ask({
      method: "PATCH",
      path: `${path}/${size}?fieldManager=test&force=true`,
      body: yaml(size, lines(count).replaceAll("value", "other")),
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    assert.equal(applied.code, 200, applied.message);
    assert.deepEqual((applied.object as { data?: JsonObject }).data?.["key-7"], "other 7");
  }
  await api.server.stop();
});

test("others have their turns while a long YAML body is read, and one that is JSON needs no thread", async () => {
  const api = await testServer();
  const path = `${await withNamespace(api, "demo")}/configmaps`;
  let turns = 0;
  let hasThread = false;
  let isOver = false;
  const made = api.ask(post(path, yaml("long", lines(30_000)))).finally(() => (isOver = true));
  for (; !isOver; turns++) {
    await nextTurn();
    hasThread ||= yamlThread.isRunning;
  }
  assert.ok(hasThread, "read by the thread");
  assert.equal((await made).code, 201);
  assert.ok(turns >= 30, `${turns} turns`);
  const apply = JSON.stringify(configMap("json", { data: { long: "x".repeat(200_000) } }));
  const applied = await api.ask({
    method: "PATCH",
    path: `${path}/json?fieldManager=test`,
    body: apply,
    headers: { "content-type": "application/apply-patch+yaml" },
  });
  assert.equal(applied.code, 201, applied.message);
  await api.server.stop();
});

test("texts are answered in their order, and the thread ends when it is idle", async () => {
  const thread = new YamlThread(0);
  const [first, second, third] = await Promise.all([thread.read("a: 1"), thread.read("a: ["), thread.read("b: -0.0")]);
  assert.deepEqual(first, { kind: "read", json: '{"a":1}', goJson: '{"a":1}' });
  assert.equal(second.kind, "refused");
  assert.deepEqual(third, { kind: "read", json: '{"b": -0}', goJson: '{"b":-0}' });
  while (thread.isRunning) await nextTurn();
  const [fourth, fifth] = await Promise.all([thread.read("c: 1"), thread.read("c: 2")]);
  assert.deepEqual([fourth.kind, fifth.kind], ["read", "read"], "after the idle thread ended");
});
