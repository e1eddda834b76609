import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterServiceVersions, installPlans, subscriptions } from "../apis/olm-resources.ts";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

/** Simulates a process that dies after the server has executed the request `last` and before it reads the response. */
async function crashAfter(last: (request: ApiRequest) => boolean): Promise<void> {
  const death = Promise.withResolvers<undefined>();
  let dead = false;
  world.disturb = (request, moment) => {
    if (!dead && moment === "after" && last(request)) {
      dead = true;
      death.resolve(undefined);
    }
    if (dead) throw new Error("connection lost");
  };
  await death.promise;
  await world.restartEngine(() => {
    world.disturb = undefined;
  });
}

const points: readonly (readonly [string, string, (request: ApiRequest) => boolean])[] = [
  ["created", "the plan is created", ({ method, path }) => method === "POST" && path.endsWith("/installplans")],
  [
    "described",
    "the plan has its status",
    ({ method, path }) => method === "PUT" && /\/installplans\/[^/]+\/status$/.test(path),
  ],
  [
    "pointed",
    "the Subscription points at it",
    ({ method, path }) => method === "PUT" && /\/subscriptions\/[^/]+\/status$/.test(path),
  ],
  ["csv", "the CSV is created", ({ method, path }) => method === "POST" && path.endsWith("/clusterserviceversions")],
  [
    "deployment",
    "the Deployment is created",
    ({ method, path }) => path.includes("/deployments") && (method === "POST" || method === "PATCH"),
  ],
];

for (const [name, moment, last] of points)
  test(`a process that dies when ${moment} leaves one InstallPlan, which the next process completes`, async () => {
    const namespace = `crash-${name}`;
    await world.tenant(namespace);
    await world.settled();
    const crashed = crashAfter((request) => request.path.includes(`/namespaces/${namespace}/`) && last(request));
    await world.subscribe(namespace, "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
    await crashed;
    await world.reaches(
      clusterServiceVersions,
      { namespace, name: "logbook-db.v1.2.0" },
      "Succeeded",
      ({ status }) => status?.phase === "Succeeded",
    );
    await world.settled();
    const plans = await world.client.list(installPlans, { namespace });
    assert.deepEqual(
      plans.map(({ spec, status }) => [spec.generation, status?.phase]),
      [[1, "Complete"]],
    );
    const subscription = await world.reaches(
      subscriptions,
      { namespace, name: "logbook-db" },
      "at the head",
      ({ status }) => status?.state === "AtLatestKnown",
    );
    assert.equal(subscription.status?.installPlanRef?.name, plans[0]?.metadata.name);
    await world.settled();
    assert.equal((await world.client.list(installPlans, { namespace })).length, 1);
  });
