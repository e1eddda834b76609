import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, textIn } from "../kinds/decoding/json-parts.ts";
import { items, started } from "../testing/server.ts";
import {
  condition,
  current,
  deploy,
  deployment,
  deploymentsPath,
  messages,
  podsPath,
  setsPath,
} from "../testing/deployments.ts";

test("status counts are those before the pass that creates or deletes pods", async () => {
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

test("a slow pod becomes ready after its delay", async () => {
  const server = await started();
  const slow = await deploy(server, deployment({}, { metadata: { annotations: { "sim/result": "slow=5s" } } }));
  assert.match(condition(slow, "Available"), /^False MinimumReplicasUnavailable/);
  server.clock.advance(5000);
  await server.server.settled();
  assert.match(condition(await current(server), "Available"), /^True/);
  await server.server.stop();
});

test("a refused pod is reported as ReplicaFailure and retried", async () => {
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

test("a Deployment under a zero quota creates no pods and reports the reason", async () => {
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
  test(`deleting a deployment with ${propagation} keeps ${kept} ReplicaSets`, async () => {
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
