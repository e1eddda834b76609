import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../json.ts";
import { objectAt, objectIn, objectsIn, textIn } from "../kinds/json-parts.ts";
import { testServer, withNamespace, type TestServer } from "../testing/server.ts";

const deploymentsPath = "/apis/apps/v1/namespaces/demo/deployments";
const setsPath = "/apis/apps/v1/namespaces/demo/replicasets";
const podsPath = "/api/v1/namespaces/demo/pods";

function deployment(more: JsonObject = {}, template: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "d" } },
      template: {
        metadata: { labels: { app: "d" }, ...objectIn(template, "metadata") },
        spec: { containers: [{ name: "c", image: "registry.example/d:1" }], ...objectIn(template, "spec") },
      },
      ...more,
    },
  };
}

async function started(): Promise<TestServer> {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  return server;
}

async function deploy(server: TestServer, body: JsonObject): Promise<JsonObject> {
  const told = await server.ask({ method: "POST", path: deploymentsPath, body });
  assert.equal(told.code, 201, JSON.stringify(told.object));
  await server.server.settled();
  return current(server);
}

async function current(server: TestServer): Promise<JsonObject> {
  return (await server.ask({ path: `${deploymentsPath}/d` })).object;
}

async function items(server: TestServer, path: string): Promise<readonly JsonObject[]> {
  return objectsIn((await server.ask({ path })).object, "items");
}

function condition(object: JsonObject, type: string): string {
  const found = objectsIn(objectIn(object, "status"), "conditions").find((held) => held["type"] === type);
  return found === undefined
    ? ""
    : `${textIn(found, "status")} ${textIn(found, "reason")}: ${textIn(found, "message")}`;
}

async function messages(server: TestServer, reason: string): Promise<readonly string[]> {
  const events = await items(server, "/api/v1/namespaces/demo/events");
  return events
    .filter((event) => event["reason"] === reason)
    .map((event) => textIn(event, "message"))
    .toSorted();
}

async function change(server: TestServer, patch: JsonObject): Promise<JsonObject> {
  const headers = { "content-type": "application/merge-patch+json" };
  const told = await server.ask({ method: "PATCH", path: `${deploymentsPath}/d`, body: patch, headers });
  assert.equal(told.code, 200, JSON.stringify(told.object));
  await server.server.settled();
  return current(server);
}

test("a deployment becomes available with the conditions, counters and events of the real controller", async () => {
  const server = await started();
  const made = await deploy(server, deployment());
  const [set] = await items(server, setsPath);
  const name = textIn(objectIn(set ?? {}, "metadata"), "name");
  assert.equal(condition(made, "Available"), "True MinimumReplicasAvailable: Deployment has minimum availability.");
  assert.equal(
    condition(made, "Progressing"),
    `True NewReplicaSetAvailable: ReplicaSet "${name}" has successfully progressed.`,
  );
  const { conditions: _conditions, ...counters } = objectIn(made, "status");
  assert.deepEqual(counters, {
    observedGeneration: 1,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    terminatingReplicas: 0,
  });
  assert.deepEqual(objectAt(set ?? {}, "metadata", "annotations"), {
    "deployment.kubernetes.io/desired-replicas": "2",
    "deployment.kubernetes.io/max-replicas": "3",
    "deployment.kubernetes.io/revision": "1",
  });
  assert.deepEqual(await messages(server, "ScalingReplicaSet"), [`Scaled up replica set ${name} from 0 to 2`]);
  assert.equal((await messages(server, "SuccessfulCreate")).length, 2);
  await server.server.stop();
});

test("each state of a new deployment is written in the order of the real controller", async () => {
  const server = await started();
  const watch = await server.watch(`${deploymentsPath}?watch=true`);
  await deploy(server, deployment());
  const seen: string[] = [];
  for (let last = ""; !last.includes("NewReplicaSetAvailable");) {
    const event = await watch.next();
    const status = objectIn(event?.object as unknown as JsonObject, "status");
    last = objectsIn(status, "conditions")
      .map((held) => textIn(held, "reason"))
      .toSorted()
      .join("+");
    seen.push(`${event?.type ?? ""} ${last}`);
  }
  // Whether both pods are ready at once decides about more states in between.
  const certain = seen.filter((state) => !state.endsWith("+ReplicaSetUpdated"));
  assert.deepEqual(
    [...new Set(certain)],
    [
      "ADDED ",
      "MODIFIED NewReplicaSetCreated",
      "MODIFIED MinimumReplicasUnavailable+NewReplicaSetCreated",
      "MODIFIED MinimumReplicasAvailable+NewReplicaSetAvailable",
    ],
  );
  watch.stop();
  await server.server.stop();
});

test("a changed template rolls over to a second set and keeps the old one empty", async () => {
  const server = await started();
  await deploy(server, deployment());
  const rolled = await change(server, {
    spec: { template: { spec: { containers: [{ name: "c", image: "registry.example/d:2" }] } } },
  });
  const sets = (await items(server, setsPath)).map((set) => [
    objectAt(set, "metadata", "annotations")["deployment.kubernetes.io/revision"],
    objectIn(set, "spec")["replicas"],
  ]);
  assert.deepEqual(
    new Map(sets as [string, number][]),
    new Map([
      ["1", 0],
      ["2", 2],
    ]),
  );
  assert.equal(objectAt(rolled, "metadata", "annotations")["deployment.kubernetes.io/revision"], "2");
  assert.equal((await items(server, podsPath)).length, 2);
  const back = await change(server, {
    spec: { template: { spec: { containers: [{ name: "c", image: "registry.example/d:1" }] } } },
  });
  assert.equal(objectAt(back, "metadata", "annotations")["deployment.kubernetes.io/revision"], "3");
  assert.equal((await items(server, setsPath)).length, 2);
  await server.server.stop();
});

test("a change of replicas scales the one set", async () => {
  const server = await started();
  await deploy(server, deployment());
  const scaled = await change(server, { spec: { replicas: 5 } });
  assert.equal(objectIn(scaled, "status")["availableReplicas"], 5);
  const [set] = await items(server, setsPath);
  assert.equal(objectAt(set ?? {}, "metadata", "annotations")["deployment.kubernetes.io/max-replicas"], "7");
  assert.equal(objectIn(await change(server, { spec: { replicas: 0 } }), "status")["replicas"], undefined);
  assert.deepEqual(await items(server, podsPath), []);
  await server.server.stop();
});

test("a set is counted as it was before the pass that makes or deletes its pods", async () => {
  const server = await started();
  const watch = await server.watch(`${setsPath}?watch=true`);
  await deploy(server, deployment());
  const seen: JsonObject[] = [];
  for (let available: unknown = 0; available !== 2;) {
    const status = objectIn((await watch.next())?.object as unknown as JsonObject, "status");
    available = status["availableReplicas"];
    seen.push(status);
  }
  assert.deepEqual(seen.slice(0, 2), [{ replicas: 0 }, { replicas: 0, terminatingReplicas: 0, observedGeneration: 1 }]);
  watch.stop();
  await server.server.stop();
});

test("a deployment that is resumed before it had a set says nothing but that until the set runs", async () => {
  const server = await started();
  const watch = await server.watch(`${deploymentsPath}?watch=true`);
  await deploy(server, deployment({ paused: true }));
  await change(server, { spec: { paused: null } });
  const seen = new Set<string>();
  for (let last = ""; last !== "NewReplicaSetAvailable";) {
    const status = objectIn((await watch.next())?.object as unknown as JsonObject, "status");
    const held = objectsIn(status, "conditions").find(({ type }) => type === "Progressing");
    last = textIn(held ?? {}, "reason");
    seen.add(last);
  }
  seen.delete("ReplicaSetUpdated");
  assert.deepEqual([...seen], ["", "DeploymentPaused", "DeploymentResumed", "NewReplicaSetAvailable"]);
  watch.stop();
  await server.server.stop();
});

test("a paused deployment scales but does not roll out", async () => {
  const server = await started();
  await deploy(server, deployment());
  const paused = await change(server, {
    spec: { paused: true, template: { spec: { containers: [{ name: "c", image: "registry.example/d:9" }] } } },
  });
  assert.equal(condition(paused, "Progressing"), "Unknown DeploymentPaused: Deployment is paused");
  assert.equal((await items(server, setsPath)).length, 1);
  const resumed = await change(server, { spec: { paused: null } });
  assert.match(condition(resumed, "Progressing"), /^True NewReplicaSetAvailable/);
  assert.equal((await items(server, setsPath)).length, 2);
  await server.server.stop();
});

test("a rollout without progress misses its deadline and is forgiven when it moves again", async () => {
  const server = await started();
  const stuck = deployment(
    { progressDeadlineSeconds: 2 },
    { metadata: { annotations: { "sim/result": "never-ready" } } },
  );
  await deploy(server, stuck);
  server.clock.advance(3000);
  await server.server.settled();
  const late = await current(server);
  assert.match(
    condition(late, "Progressing"),
    /^False ProgressDeadlineExceeded: ReplicaSet "d-.*" has timed out progressing\.$/,
  );
  const healed = await change(server, { spec: { template: { metadata: { annotations: { "sim/result": null } } } } });
  assert.match(condition(healed, "Progressing"), /^True NewReplicaSetAvailable/);
  await server.server.stop();
});

test("a slow pod becomes ready when its time has come", async () => {
  const server = await started();
  const slow = await deploy(server, deployment({}, { metadata: { annotations: { "sim/result": "slow=5s" } } }));
  assert.match(condition(slow, "Available"), /^False MinimumReplicasUnavailable/);
  server.clock.advance(5000);
  await server.server.settled();
  assert.match(condition(await current(server), "Available"), /^True/);
  await server.server.stop();
});

test("a refused pod shows as ReplicaFailure and is tried again", async () => {
  const server = await started();
  const refused = await deploy(server, deployment({}, { spec: { serviceAccountName: "nosa" } }));
  assert.match(
    condition(refused, "ReplicaFailure"),
    /^True FailedCreate: pods "d-\w+-" is forbidden: error looking up service account demo\/nosa: serviceaccount "nosa" not found$/,
  );
  assert.match((await messages(server, "FailedCreate"))[0] ?? "", /^Error creating: pods "d-/);
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "nosa" } };
  await server.ask({ method: "POST", path: "/api/v1/namespaces/demo/serviceaccounts", body: account });
  server.clock.advance(60_000);
  await server.server.settled();
  const healed = await current(server);
  assert.equal(condition(healed, "ReplicaFailure"), "");
  assert.match(condition(healed, "Available"), /^True/);
  await server.server.stop();
});

test("a deployment whose quota is zero makes no pods and says why", async () => {
  const server = await started();
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard: { pods: "0" } } };
  await server.ask({ method: "POST", path: "/api/v1/namespaces/demo/resourcequotas", body: quota });
  const refused = await deploy(server, deployment());
  assert.match(
    condition(refused, "ReplicaFailure"),
    /exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0$/,
  );
  await server.server.stop();
});

for (const [propagation, kept] of [
  ["Background", 0],
  ["Foreground", 0],
  ["Orphan", 1],
] as const) {
  test(`deleting a deployment with ${propagation} leaves ${kept} replica sets`, async () => {
    const server = await started();
    await deploy(server, deployment());
    await server.ask({ method: "DELETE", path: `${deploymentsPath}/d?propagationPolicy=${propagation}` });
    await server.server.settled();
    assert.equal((await server.ask({ path: `${deploymentsPath}/d` })).code, 404);
    const sets = await items(server, setsPath);
    assert.equal(sets.length, kept);
    assert.equal((await items(server, podsPath)).length, kept * 2);
    for (const set of sets) assert.equal(objectIn(set, "metadata")["ownerReferences"], undefined);
    await server.server.stop();
  });
}

test("a replica set replaces a deleted pod", async () => {
  const server = await started();
  await deploy(server, deployment());
  const [pod] = await items(server, podsPath);
  const name = textIn(objectIn(pod ?? {}, "metadata"), "name");
  await server.ask({ method: "DELETE", path: `${podsPath}/${name}` });
  await server.server.settled();
  const names = (await items(server, podsPath)).map((held) => textIn(objectIn(held, "metadata"), "name"));
  assert.equal(names.length, 2);
  assert.ok(!names.includes(name));
  await server.server.stop();
});
