import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectsIn } from "../../kinds/decoding/json-parts.ts";
import { testServer, withNamespace, type TestServer } from "../../testing/server.ts";
import { parseOutcome } from "./pod-outcome.ts";

const outcomes: readonly (readonly [string, ReturnType<typeof parseOutcome>])[] = [
  ["ready", { kind: "ready" }],
  ["ready=1s", { kind: "ready", afterMs: 1000 }],
  ["slow=750ms", { kind: "ready", afterMs: 750 }],
  ["pending", { kind: "pending" }],
  ["never-ready", { kind: "neverReady" }],
  ["crash", { kind: "crash" }],
  ["image-error", { kind: "imageError" }],
  ["succeed=1m", { kind: "succeed", afterMs: 60_000 }],
  ["fail=2s", { kind: "fail", afterMs: 2000 }],
  ["slow", undefined],
  ["slow=", undefined],
  ["slow=2h", undefined],
  ["slow=-1s", undefined],
  ["crash=1s", undefined],
  ["Ready", undefined],
  ["", undefined],
];

for (const [text, expected] of outcomes)
  test(`${JSON.stringify(text)} is parsed as ${expected === undefined ? "nothing" : JSON.stringify(expected)}`, () => {
    assert.deepEqual(parseOutcome(text), expected);
  });

const merge = { "content-type": "application/merge-patch+json" };
const pod = (name: string, result?: string): JsonObject => ({
  metadata: { name, ...(result === undefined ? {} : { annotations: { "sim/result": result } }) },
  spec: { containers: [{ name: "c", image: "i" }] },
});

async function annotate(server: TestServer, result: string | null): Promise<readonly string[]> {
  const body = { metadata: { annotations: { "sim/result": result } } };
  const answer = await server.ask({ method: "PATCH", path: "/api/v1/namespaces/demo", headers: merge, body });
  assert.equal(answer.code, 200);
  await server.server.settled();
  return answer.warnings;
}

async function ready(server: TestServer): Promise<readonly (readonly unknown[])[]> {
  const { object } = await server.ask({ path: "/api/v1/namespaces/demo/pods" });
  return objectsIn(object, "items").map((held) => {
    const { metadata, status } = held as unknown as {
      metadata: { name: string };
      status: { containerStatuses?: readonly { readonly ready: boolean }[] };
    };
    return [metadata.name, status.containerStatuses?.[0]?.ready];
  });
}

test("a namespace's annotation applies to its pods, also to running ones, unless they have their own", async () => {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  for (const body of [pod("a"), pod("b", "ready")])
    assert.equal((await server.ask({ method: "POST", path: "/api/v1/namespaces/demo/pods", body })).code, 201);
  await server.server.settled();
  await annotate(server, "crash");
  assert.deepEqual(await ready(server), [
    ["a", false],
    ["b", true],
  ]);
  await annotate(server, null);
  assert.deepEqual(await ready(server), [
    ["a", true],
    ["b", true],
  ]);
  await server.server.stop();
});

test("an unknown result is reported with a warning where it is written: on a pod, in a template, on a namespace", async () => {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  const warning =
    'embedded server: sim/result "crsh" is ignored; it is one of ready, slow=DURATION, pending, never-ready, crash, image-error, succeed, fail; ready, succeed and fail take =DURATION too, such as fail=2s';
  const template = { ...pod("t", "crsh"), metadata: { labels: { a: "b" }, annotations: { "sim/result": "crsh" } } };
  for (const [path, body] of [
    ["/api/v1/namespaces/demo/pods", pod("a", "crsh")],
    ["/apis/apps/v1/namespaces/demo/deployments", deploymentOf(template)],
  ] as const)
    assert.deepEqual((await server.ask({ method: "POST", path, body })).warnings, [warning]);
  assert.deepEqual(await annotate(server, "crsh"), [warning]);
  assert.deepEqual(await annotate(server, "crash"), []);
  await server.server.stop();
});

function deploymentOf(template: JsonObject): JsonObject {
  return { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
}
