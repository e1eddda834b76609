import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deployments } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups, subscriptions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const name = "logbook-db.v1.2.0";
const reaches = (namespace: string, phase: string): Promise<{ readonly status?: { readonly reason?: string } }> =>
  world.reaches(clusterServiceVersions, { namespace, name }, phase, ({ status }) => status?.phase === phase);

/** A namespace that installs the operator, with a group whose targets are its own namespace and `common`. */
async function contender(namespace: string, common: string): Promise<void> {
  await world.tenant(namespace, { targetNamespaces: [namespace, common] });
  await world.subscribe(namespace, "logbook-db", { startingCSV: name });
}

const causes: Readonly<Record<string, (winner: string) => Promise<void>>> = {
  "CSV is deleted": async (namespace) => {
    await world.remove(subscriptions, { namespace, name: "logbook-db" });
    await world.remove(clusterServiceVersions, { namespace, name });
  },
  "group is deleted": (namespace) => world.remove(operatorGroups, { namespace, name: "group" }),
  "group no longer has the common target": (namespace) =>
    world.merge(operatorGroups, { namespace, name: "group" }, { spec: { targetNamespaces: [namespace] } }),
};

for (const [index, [what, end]] of Object.entries(causes).entries())
  test(`of two groups that compete for an API the second one gets it when the first one's ${what}`, async () => {
    const [winner, loser, common] = [`winner-${index}`, `loser-${index}`, `common-${index}`];
    await contender(winner, common);
    await reaches(winner, "Succeeded");
    await contender(loser, common);
    assert.equal((await reaches(loser, "Failed")).status?.reason, "InterOperatorGroupOwnerConflict");
    await world.settled();
    assert.deepEqual(await world.client.list(deployments, { namespace: loser }), []);
    await end(winner);
    await reaches(loser, "Succeeded");
    await world.settled();
    const group = await world.client.get(operatorGroups, { namespace: loser, name: "group" });
    assert.equal(group?.metadata.annotations?.["olm.providedAPIs"], "Ledger.v1.logbook.demo.purser.dev");
  });
