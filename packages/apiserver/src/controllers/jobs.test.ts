import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectAt, objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { testServer, withNamespace, type TestServer } from "../testing/server.ts";
import { formatIndexes, parseIndexes } from "./jobs/indexes.ts";

const jobsPath = "/apis/batch/v1/namespaces/demo/jobs";
const podsPath = "/api/v1/namespaces/demo/pods";

async function started(result: string, spec: JsonObject): Promise<TestServer> {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  const pod = { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] };
  const template = { metadata: { annotations: { "sim/result": result } }, spec: pod };
  const body = { metadata: { name: "j" }, spec: { ...spec, template } };
  const answer = await server.ask({ method: "POST", path: jobsPath, body });
  assert.equal(answer.code, 201, answer.message);
  await server.server.settled();
  return server;
}

async function change(server: TestServer, spec: JsonObject): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const answer = await server.ask({ method: "PATCH", path: `${jobsPath}/j`, body: { spec }, headers });
  assert.equal(answer.code, 200, answer.message);
  await server.server.settled();
}

async function status(server: TestServer): Promise<JsonObject> {
  return objectIn((await server.ask({ path: `${jobsPath}/j` })).object, "status");
}

async function conditions(server: TestServer): Promise<readonly string[]> {
  return objectsIn(await status(server), "conditions").map((held) =>
    [textIn(held, "type"), textIn(held, "status"), textIn(held, "reason")].join(" "),
  );
}

async function pods(server: TestServer): Promise<readonly JsonObject[]> {
  return objectsIn((await server.ask({ path: podsPath })).object, "items");
}

async function reasons(server: TestServer): Promise<readonly string[]> {
  const events = objectsIn((await server.ask({ path: "/api/v1/namespaces/demo/events" })).object, "items");
  return events
    .filter((event) => objectIn(event, "involvedObject")["kind"] === "Job")
    .map((event) => textIn(event, "reason"))
    .toSorted();
}

test("a suspended Job has no pods until it is resumed; pods deleted on suspension do not count as failed", async () => {
  const server = await started("ready", { suspend: true });
  assert.deepEqual(await conditions(server), ["Suspended True JobSuspended"]);
  const { conditions: _held, ...counters } = await status(server);
  assert.deepEqual(counters, { ready: 0, terminating: 0, uncountedTerminatedPods: {} });
  assert.equal((await pods(server)).length, 0);
  server.clock.advance(5000);
  await change(server, { suspend: false });
  assert.deepEqual(await conditions(server), ["Suspended False JobResumed"]);
  assert.equal((await status(server))["startTime"], "2026-01-01T00:00:05Z");
  assert.equal((await pods(server)).length, 1);
  await change(server, { suspend: true });
  assert.deepEqual(await conditions(server), ["Suspended True JobSuspended"]);
  assert.equal((await pods(server)).length, 0);
  const after = await status(server);
  assert.deepEqual([after["active"], after["failed"], after["startTime"]], [undefined, undefined, undefined]);
  assert.deepEqual(await reasons(server), ["Resumed", "SuccessfulCreate", "SuccessfulDelete", "Suspended"]);
  await server.server.stop();
});

test("a Job runs as many pods as its parallelism and deletes surplus ones", async () => {
  const server = await started("ready", { parallelism: 3, completions: 5 });
  assert.equal((await status(server))["active"], 3);
  await change(server, { parallelism: 1 });
  const now = await status(server);
  assert.deepEqual([now["active"], now["failed"], now["terminating"]], [1, undefined, 0]);
  assert.equal((await pods(server)).length, 1);
  await server.server.stop();
});

test("an indexed Job runs one pod per index and records completed indexes", async () => {
  const server = await started("succeed", { completionMode: "Indexed", completions: 4, parallelism: 2 });
  const held = await status(server);
  assert.equal(held["completedIndexes"], "0-3");
  assert.equal(held["succeeded"], 4);
  const [first = {}] = (await pods(server)).toSorted((a, b) =>
    textIn(objectIn(a, "metadata"), "name") < textIn(objectIn(b, "metadata"), "name") ? -1 : 1,
  );
  const index = "batch.kubernetes.io/job-completion-index";
  assert.match(textIn(objectIn(first, "metadata"), "name"), /^j-0-[a-z0-9]{5}$/);
  assert.equal(objectAt(first, "metadata", "labels")[index], "0");
  assert.equal(objectAt(first, "metadata", "annotations")[index], "0");
  assert.equal(objectIn(first, "spec")["hostname"], "j-0");
  const [container = {}] = objectsIn(objectIn(first, "spec"), "containers");
  assert.deepEqual(objectsIn(container, "env"), [
    {
      name: "JOB_COMPLETION_INDEX",
      valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${index}']` } },
    },
  ]);
  await server.server.stop();
});

test("indexes are formatted as ranges and parsed back", () => {
  for (const [text, indexes] of [
    ["", []],
    ["0", [0]],
    ["0,1", [0, 1]],
    ["0-2,5,7,8,10-13", [0, 1, 2, 5, 7, 8, 10, 11, 12, 13]],
  ] as const) {
    assert.equal(formatIndexes(new Set(indexes)), text);
    assert.deepEqual([...parseIndexes(text, 20)], indexes);
  }
  assert.deepEqual([...parseIndexes("0-1000000000", 3)], [0, 1, 2]);
});

test("a Job past its deadline gets FailureTarget first, and Failed once its pods have terminated", async () => {
  const server = await started("ready", { activeDeadlineSeconds: 2, parallelism: 2, completions: 2 });
  const watch = await server.watch(`${jobsPath}?watch=true`);
  server.clock.advance(2000);
  await server.server.settled();
  const seen: string[] = [];
  while (!seen.at(-1)?.endsWith("+Failed")) {
    const held = objectIn((await watch.next())?.object as unknown as JsonObject, "status");
    const types = objectsIn(held, "conditions").map((condition) => textIn(condition, "type"));
    seen.push(types.join("+"));
    if (types.includes("Failed")) assert.equal(numberIn(held, "terminating"), 0);
  }
  assert.deepEqual([...new Set(seen)], ["", "FailureTarget", "FailureTarget+Failed"]);
  assert.equal((await status(server))["failed"], 2);
  await server.server.stop();
});

test("a failed pod is retried after ten seconds, then after twenty", async () => {
  const server = await started("fail", { backoffLimit: 2 });
  for (const [ms, count] of [
    [9_999, 1],
    [1, 2],
    [19_999, 2],
    [1, 3],
  ] as const) {
    server.clock.advance(ms);
    await server.server.settled();
    assert.equal((await pods(server)).length, count);
  }
  assert.deepEqual(await conditions(server), [
    "FailureTarget True BackoffLimitExceeded",
    "Failed True BackoffLimitExceeded",
  ]);
  await server.server.stop();
});

test("a finished Job is deleted after ttlSecondsAfterFinished", async () => {
  const server = await started("succeed", { ttlSecondsAfterFinished: 30 });
  server.clock.advance(29_000);
  await server.server.settled();
  assert.equal((await server.ask({ path: `${jobsPath}/j` })).code, 200);
  server.clock.advance(1000);
  await server.server.settled();
  assert.equal((await server.ask({ path: `${jobsPath}/j` })).code, 404);
  assert.equal((await pods(server)).length, 0);
  await server.server.stop();
});

test("a Job with another managedBy is not reconciled", async () => {
  const server = await started("succeed", { managedBy: "example.com/other" });
  assert.deepEqual(await status(server), {});
  await server.server.stop();
});
