import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import type { TestServer } from "../../testing/server.ts";
import { items, started } from "../../testing/server.ts";
import { addNode, change, core, said } from "../../testing/sets.ts";

const simNode = "/api/v1/nodes/sim-node";
const cordoned =
  "0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

async function create(
  server: TestServer,
  name: string,
  spec: JsonObject = {},
  metadata: JsonObject = {},
): Promise<void> {
  const body = { metadata: { name, ...metadata }, spec: { containers: [{ name: "c", image: "i:1" }], ...spec } };
  const answer = await server.ask({ method: "POST", path: `${core}/pods`, body });
  assert.equal(answer.code, 201, answer.message);
  await server.server.settled();
}

async function pod(server: TestServer, name: string): Promise<JsonObject> {
  return (await server.ask({ path: `${core}/pods/${name}` })).object;
}

async function nodeOf(server: TestServer, name: string): Promise<string> {
  return textIn(objectIn(await pod(server, name), "spec"), "nodeName");
}

function scheduled(held: JsonObject): JsonObject {
  const conditions = objectsIn(objectIn(held, "status"), "conditions");
  return conditions.find(({ type }) => type === "PodScheduled") ?? {};
}

test("a pod stays pending while the node is cordoned, with one event, and is scheduled afterwards", async () => {
  const server = await started();
  await change(server, simNode, { spec: { unschedulable: true } });
  await create(server, "p");
  const waiting = scheduled(await pod(server, "p"));
  assert.deepEqual([waiting["status"], waiting["reason"], waiting["message"]], ["False", "Unschedulable", cordoned]);
  // An unrelated change of the node has no effect.
  await change(server, simNode, { metadata: { labels: { a: "b" } } });
  assert.deepEqual(await said(server, "Pod"), [`Warning FailedScheduling: ${cordoned}`]);
  await change(server, simNode, { spec: { unschedulable: null } });
  const bound = await pod(server, "p");
  assert.equal(textIn(objectIn(bound, "status"), "phase"), "Running");
  assert.equal(scheduled(bound)["status"], "True");
  assert.deepEqual(await said(server, "Pod"), [
    "Normal Scheduled: Successfully assigned demo/p to sim-node",
    `Warning FailedScheduling: ${cordoned}`,
  ]);
  await server.server.stop();
});

test("a cordoned node has the unschedulable taint", async () => {
  const server = await started();
  const taints = async (): Promise<readonly string[]> =>
    objectsIn(objectIn((await server.ask({ path: simNode })).object, "spec"), "taints").map(
      (taint) => `${textIn(taint, "key")}:${textIn(taint, "effect")}`,
    );
  await change(server, simNode, { spec: { unschedulable: true } });
  assert.deepEqual(await taints(), ["node.kubernetes.io/unschedulable:NoSchedule"]);
  await change(server, simNode, { spec: { unschedulable: false } });
  assert.deepEqual(await taints(), []);
  await server.server.stop();
});

test("resources of a deleted pod are available again", async () => {
  const server = await started();
  const greedy = { containers: [{ name: "c", image: "i:1", resources: { requests: { cpu: "20" } } }] };
  await create(server, "first", greedy);
  await create(server, "second", greedy);
  assert.deepEqual([await nodeOf(server, "first"), await nodeOf(server, "second")], ["sim-node", ""]);
  await server.ask({ method: "DELETE", path: `${core}/pods/first` });
  await server.server.settled();
  assert.equal(await nodeOf(server, "second"), "sim-node");
  await server.server.stop();
});

test("an added node gets no pods until it is ready", async () => {
  const server = await started();
  const labels = { zone: "b" };
  await server.ask({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "late", labels } } });
  await server.server.settled();
  await create(server, "p", { nodeSelector: labels });
  await create(server, "direct", { nodeName: "late" });
  assert.match(textIn(scheduled(await pod(server, "p")), "message"), /1 node\(s\) had untolerated taint\(s\)/);
  assert.equal(textIn(objectIn(await pod(server, "direct"), "status"), "phase"), "Pending");
  const allocatable = { cpu: "1", memory: "1Gi", pods: "10" };
  await change(server, "/api/v1/nodes/late/status", {
    status: { conditions: [{ type: "Ready", status: "True" }], allocatable, capacity: allocatable },
  });
  for (const name of ["p", "direct"])
    assert.equal(textIn(objectIn(await pod(server, name), "status"), "phase"), "Running", name);
  assert.equal(await nodeOf(server, "p"), "late");
  await server.server.stop();
});

test("the next pod is scheduled to the node with the fewest pods", async () => {
  const server = await started();
  await addNode(server, "other");
  for (const name of ["a", "b", "c", "d"]) await create(server, name);
  const nodes = (await items(server, `${core}/pods`)).map((held) => textIn(objectIn(held, "spec"), "nodeName"));
  assert.deepEqual(nodes.toSorted(), ["other", "other", "sim-node", "sim-node"]);
  await server.server.stop();
});

test("a pod with a scheduling gate stays pending until the gate is removed", async () => {
  const server = await started();
  await create(server, "p", { schedulingGates: [{ name: "ex.io/wait" }] });
  assert.equal(scheduled(await pod(server, "p"))["reason"], "SchedulingGated");
  await change(server, `${core}/pods/p`, { spec: { schedulingGates: null } });
  assert.equal(await nodeOf(server, "p"), "sim-node");
  await server.server.stop();
});

test("a deleted pod without a node and with a finalizer is not changed", async () => {
  const server = await started();
  await create(server, "p", { nodeSelector: { a: "b" } }, { finalizers: ["ex.io/held"] });
  await server.ask({ method: "DELETE", path: `${core}/pods/p` });
  await server.server.settled();
  assert.equal(textIn(objectIn(await pod(server, "p"), "status"), "phase"), "Pending");
  await server.server.stop();
});

test("the simulated node identifies itself as simulated, with a kubeletVersion that clients can parse", async () => {
  const server = await started();
  await server.server.settled();
  const { object } = await server.ask({ path: simNode });
  const info = objectAt(object, "status", "nodeInfo");
  assert.match(textIn(info, "kubeletVersion"), /^v1\.36\.3\+simulated$/);
  assert.match(textIn(info, "osImage"), /no container runs/);
  const lease = await server.ask({ path: "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/sim-node" });
  assert.equal(textIn(objectIn(lease.object, "spec"), "holderIdentity"), "sim-node");
  await server.server.stop();
});

test("a failing pod has kubelet events that are marked as simulated", async () => {
  const server = await started();
  await create(server, "crash", {}, { annotations: { "sim/result": "crash" } });
  await create(server, "image", {}, { annotations: { "sim/result": "image-error" } });
  const uid = textIn(objectIn(await pod(server, "crash"), "metadata"), "uid");
  const events = (await said(server, "Pod")).filter((text) => !text.includes("Scheduled"));
  assert.deepEqual(events, [
    'Normal BackOff: Back-off pulling image "i:1" (simulated)',
    `Warning BackOff: Back-off restarting failed container c in pod crash_demo(${uid}) (simulated)`,
    "Warning Failed: Error: ImagePullBackOff (simulated)",
  ]);
  const [status = {}] = objectsIn(objectIn(await pod(server, "crash"), "status"), "containerStatuses");
  assert.equal(
    textIn(objectAt(status, "state", "waiting"), "message"),
    `back-off 10s restarting failed container=c pod=crash_demo(${uid})`,
  );
  await server.server.stop();
});
