import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { items, started } from "../../testing/server.ts";
import { addNode, apps, change, core, image, make, revisionNumbers, said, set } from "../../testing/sets.ts";
import type { TestServer } from "../../testing/server.ts";

const daemonPath = `${apps}/daemonsets/s`;

async function podNodes(server: TestServer): Promise<readonly string[]> {
  return (await items(server, `${core}/pods`)).map((pod) => textIn(objectIn(pod, "spec"), "nodeName")).toSorted();
}

test("a DaemonSet runs one pod on every node, also on nodes added later, and counts them as kube-controller-manager does", async () => {
  const server = await started();
  const done = await make(server, set("DaemonSet"));
  assert.deepEqual(objectIn(done, "status"), {
    currentNumberScheduled: 1,
    numberMisscheduled: 0,
    desiredNumberScheduled: 1,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
  });
  const [pod = {}] = await items(server, `${core}/pods`);
  const { "controller-revision-hash": hash, ...labels } = objectAt(pod, "metadata", "labels");
  assert.deepEqual(labels, { app: "s", "pod-template-generation": "1" });
  const [revision = {}] = await items(server, `${apps}/controllerrevisions`);
  assert.equal(textIn(objectIn(revision, "metadata"), "name"), `s-${typeof hash === "string" ? hash : ""}`);
  assert.equal(textIn(objectIn(pod, "metadata"), "generateName"), "s-");
  assert.equal(objectsIn(objectIn(pod, "spec"), "tolerations").length, 6);
  assert.deepEqual(await said(server, "DaemonSet"), [
    `Normal SuccessfulCreate: Created pod: ${textIn(objectIn(pod, "metadata"), "name")}`,
  ]);
  await addNode(server, "second");
  assert.deepEqual(await podNodes(server), ["second", "sim-node"]);
  await server.ask({ method: "DELETE", path: `${core}/pods/${textIn(objectIn(pod, "metadata"), "name")}` });
  await server.server.settled();
  assert.deepEqual(await podNodes(server), ["second", "sim-node"]);
  await server.server.stop();
});

test("a DaemonSet leaves out nodes that its selector, its affinity or their taints exclude", async () => {
  const disk = (value: string): JsonObject => ({ metadata: { labels: { disk: value } } });
  const server = await started();
  await addNode(server, "a", disk("ssd"));
  await addNode(server, "b", disk("hdd"));
  await addNode(server, "c", { ...disk("ssd"), spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } });
  await make(server, set("DaemonSet", {}, { spec: { nodeSelector: { disk: "ssd" } } }));
  assert.deepEqual(await podNodes(server), ["a"]);
  await change(server, daemonPath, {
    spec: { template: { spec: { tolerations: [{ key: "k", operator: "Exists" }] } } },
  });
  assert.deepEqual(await podNodes(server), ["a", "c"]);
  const terms = [{ matchExpressions: [{ key: "disk", operator: "NotIn", values: ["ssd"] }] }];
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
  const done = await change(server, daemonPath, { spec: { template: { spec: { nodeSelector: null, affinity } } } });
  assert.deepEqual(await podNodes(server), ["b", "sim-node"]);
  assert.equal(objectIn(done, "status")["desiredNumberScheduled"], 2);
  await server.server.stop();
});

test("a pod is kept on a node with a new NoSchedule taint, but not with NoExecute", async () => {
  const server = await started();
  await make(server, set("DaemonSet"));
  const taint = async (effect: string): Promise<JsonObject> => {
    await change(server, "/api/v1/nodes/sim-node", { spec: { taints: [{ key: "k", value: "v", effect }] } });
    return objectIn((await server.ask({ path: daemonPath })).object, "status");
  };
  const kept = await taint("NoSchedule");
  assert.deepEqual([kept["desiredNumberScheduled"], kept["numberMisscheduled"]], [0, 1]);
  assert.deepEqual(await podNodes(server), ["sim-node"]);
  const gone = await taint("NoExecute");
  assert.deepEqual([gone["desiredNumberScheduled"], gone["numberMisscheduled"]], [0, 0]);
  assert.deepEqual(await podNodes(server), []);
  await server.server.stop();
});

test("a new template replaces the pods of a DaemonSet by maxUnavailable or maxSurge, and not under OnDelete", async () => {
  for (const [updateStrategy, updated] of [
    [{ type: "RollingUpdate" }, 3],
    [{ type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }, 3],
    [{ type: "OnDelete" }, undefined],
  ] as const) {
    const server = await started();
    await addNode(server, "a");
    await addNode(server, "b");
    await make(server, set("DaemonSet", { updateStrategy }));
    const done = await change(server, daemonPath, image("registry.example/s:2"));
    const status = objectIn(done, "status");
    assert.deepEqual(
      [status["updatedNumberScheduled"], status["numberAvailable"]],
      [updated, 3],
      JSON.stringify(updateStrategy),
    );
    assert.deepEqual(await podNodes(server), ["a", "b", "sim-node"]);
    assert.deepEqual(await revisionNumbers(server), [1, 2]);
    await server.server.stop();
  }
});

test("a failed daemon pod is replaced immediately, the next time after a backoff", async () => {
  const server = await started();
  await make(server, set("DaemonSet"));
  const fail = async (): Promise<string> => {
    const [pod = {}] = await items(server, `${core}/pods`);
    const name = textIn(objectIn(pod, "metadata"), "name");
    const body = { status: { phase: "Failed" } };
    const headers = { "content-type": "application/merge-patch+json" };
    await server.ask({ method: "PATCH", path: `${core}/pods/${name}/status`, body, headers });
    await server.server.settled();
    return name;
  };
  const name = async (): Promise<string> => {
    const [pod = {}] = await items(server, `${core}/pods`);
    return textIn(objectIn(pod, "metadata"), "name");
  };
  const first = await fail();
  assert.notEqual(await name(), first);
  const second = await fail();
  assert.equal(await name(), second);
  server.clock.advance(1000);
  await server.server.settled();
  assert.notEqual(await name(), second);
  assert.ok(
    (await said(server, "DaemonSet")).includes(
      `Warning FailedDaemonPod: Found failed daemon pod demo/${first} on node sim-node, will try to kill it`,
    ),
  );
  await server.server.stop();
});
