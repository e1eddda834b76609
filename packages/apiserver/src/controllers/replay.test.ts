import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { testServer, withNamespace } from "../testing/server.ts";

const template = {
  metadata: { labels: { app: "s" } },
  spec: { containers: [{ name: "c", image: "i:1" }] },
};
const common = { selector: { matchLabels: { app: "s" } }, template };
const pod = { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] };
const job = { spec: { template: { spec: pod } } };
const made: readonly (readonly [path: string, spec: JsonObject])[] = [
  ["/apis/apps/v1/namespaces/demo/deployments", { ...common, replicas: 2 }],
  ["/apis/apps/v1/namespaces/demo/statefulsets", { ...common, replicas: 2 }],
  ["/apis/apps/v1/namespaces/demo/daemonsets", common],
  ["/apis/batch/v1/namespaces/demo/cronjobs", { schedule: "* * * * *", jobTemplate: job }],
  ["/apis/policy/v1/namespaces/demo/poddisruptionbudgets", { minAvailable: 1, selector: common.selector }],
];
const read = [
  ...made.map(([path]) => path),
  "/apis/apps/v1/namespaces/demo/replicasets",
  "/apis/apps/v1/namespaces/demo/controllerrevisions",
  "/apis/batch/v1/namespaces/demo/jobs",
  "/api/v1/namespaces/demo/pods",
  "/api/v1/namespaces/demo/events",
];

/** The stored objects after two minutes of a small cluster. */
async function course(): Promise<string> {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  for (const [path, spec] of made) {
    const answer = await server.ask({ method: "POST", path, body: { metadata: { name: "s" }, spec } });
    assert.equal(answer.code, 201, answer.message);
  }
  await server.server.settled();
  for (let minute = 0; minute < 2; minute++) {
    server.clock.advance(60_000);
    await server.server.settled();
    server.clock.advance(200);
    await server.server.settled();
  }
  const lists: string[] = [];
  for (const path of read) lists.push(JSON.stringify((await server.ask({ path })).object));
  await server.server.stop();
  return lists.join("\n");
}

test("runs with the same seed and clock store identical bytes", async () => {
  const [first, second] = [await course(), await course()];
  assert.ok(first.includes("cronjob-scheduled-timestamp"));
  assert.equal(first, second);
});
