import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectAt, objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { items, started } from "../testing/server.ts";
import {
  change,
  condition,
  current,
  deploy,
  deployment,
  deploymentsPath,
  messages,
  podsPath,
  setsPath,
} from "../testing/deployments.ts";

test("a deployment becomes available with the conditions, counters and events of kube-controller-manager", async () => {
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

test("status updates of a new Deployment have the order of kube-controller-manager", async () => {
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
  // The states in between depend on whether both pods become ready at the same time.
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

test("a changed template rolls out to a second ReplicaSet and scales the old one to zero", async () => {
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

test("a change of replicas scales the only ReplicaSet", async () => {
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

test("a Deployment resumed before it had a ReplicaSet reports DeploymentResumed until the ReplicaSet is available", async () => {
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

test("a rollout without progress reports ProgressDeadlineExceeded, until it progresses again", async () => {
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
