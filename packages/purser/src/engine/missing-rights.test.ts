import assert from "node:assert/strict";
import { test } from "node:test";
import { events } from "@purser/kubernetes/apis/resources";
import type { Log } from "@purser/kubernetes/kube/log";
import { clusterExtensions, clusterServiceVersions, installPlans, subscriptions } from "../apis/olm-resources.ts";
import { grantAllBut, openWithout, refusalOf, type RightName, shownIn } from "./testing/lacking-rights.ts";
import type { World } from "./testing/world.ts";

/** Both families install a package of the demo catalog. */
async function worldWithout(missing: RightName | undefined, log?: Log): Promise<World> {
  const world = await openWithout(missing, log === undefined ? {} : { log });
  await world.tenant("ops");
  await world.subscribe("ops", "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
  await world.extend("ballast-cache");
  return world;
}

const csv = { namespace: "ops", name: "logbook-db.v1.2.0" };
const subscriptionInstalls = (world: World): Promise<unknown> =>
  world.reaches(clusterServiceVersions, csv, "Succeeded", ({ status }) => status?.phase === "Succeeded");
const extensionInstalls = (world: World): Promise<unknown> =>
  world.reaches(
    clusterExtensions,
    { name: "ballast-cache" },
    "installed",
    ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Installed" && is === "True") === true,
  );

test("with its own rights alone Purser installs, upgrades by approval and removes, and no request is forbidden", async () => {
  const forbidden: string[] = [];
  const world = await worldWithout(undefined, (_level, message, facts) => {
    const line = `${message} ${JSON.stringify(facts)}`;
    // What is still requested in a namespace that is being deleted is refused to everybody.
    if (line.includes("is forbidden") && !line.includes("because it is being terminated")) forbidden.push(line);
  });
  try {
    await Promise.all([subscriptionInstalls(world), extensionInstalls(world)]);
    await world.tenant("approved");
    await world.subscribe("approved", "logbook-db", {
      startingCSV: "logbook-db.v1.0.0",
      installPlanApproval: "Manual",
    });
    for (const version of ["v1.0.0", "v1.1.0", "v1.2.0"]) {
      await world.approve("approved", `logbook-db.${version}`);
      const key = { namespace: "approved", name: `logbook-db.${version}` };
      await world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");
    }
    await world.remove(subscriptions, { namespace: "approved", name: "logbook-db" });
    await world.remove(clusterServiceVersions, { namespace: "approved", name: "logbook-db.v1.2.0" });
    await world.remove(clusterExtensions, { name: "ballast-cache" });
    await world.vanishes(clusterExtensions, { name: "ballast-cache" });
    await world.settled();
    assert.deepEqual(forbidden, []);
    assert.deepEqual(
      (await world.client.list(events)).filter(({ reason }) => reason === "PermissionDenied"),
      [],
    );
    assert.deepEqual(world.engine.cache.unfollowed(), []);
  } finally {
    await world.stop();
  }
});

// Where a user finds the missing right, and which installation goes on meanwhile.
const rows: readonly (readonly [
  missing: RightName,
  shown: "extension" | "plan" | "event",
  goesOn: "v0" | "v1" | "none",
])[] = [
  ["create serviceaccounts", "extension", "none"],
  ["get customresourcedefinitions.apiextensions.k8s.io", "extension", "none"],
  ["patch secrets", "extension", "v0"],
  ["create roles.rbac.authorization.k8s.io", "plan", "v1"],
  ["create installplans.operators.coreos.com", "event", "v1"],
  ["update clusterserviceversions/status.operators.coreos.com", "event", "v1"],
  ["create clusterobjectsets.olm.operatorframework.io", "extension", "v0"],
  ["update clusterextensions/status.olm.operatorframework.io", "event", "v0"],
];

for (const [missing, shown, goesOn] of rows)
  test(`without the right to ${missing} the ${shown} names it, what does not need it goes on, and the rest once it is granted`, async () => {
    const world = await worldWithout(missing);
    try {
      await world.until(
        `${refusalOf(missing)} in ${shown}`,
        async () => {
          switch (shown) {
            case "extension":
              return shownIn(await world.client.get(clusterExtensions, { name: "ballast-cache" }), missing);
            case "plan":
              return shownIn(
                (await world.client.list(installPlans)).map(({ status }) => status?.message),
                missing,
              );
            case "event":
              return shownIn(
                (await world.client.list(events)).filter(({ reason }) => reason === "PermissionDenied"),
                missing,
              );
          }
        },
        { seen: () => world.client.get(clusterExtensions, { name: "ballast-cache" }) },
      );
      if (goesOn === "v0") await subscriptionInstalls(world);
      if (goesOn === "v1") await extensionInstalls(world);
      await grantAllBut(world, undefined);
      await Promise.all([subscriptionInstalls(world), extensionInstalls(world)]);
    } finally {
      await world.stop();
    }
  });

for (const missing of ["watch catalogsources.operators.coreos.com", "list deployments.apps"])
  test(`without the right to ${missing} the caches name it, and everything is installed once it is granted`, async () => {
    const world = await worldWithout(missing);
    try {
      await world.until("the missing right", () => Promise.resolve(shownIn(world.engine.cache.unfollowed(), missing)), {
        seen: () => Promise.resolve(world.engine.cache.unfollowed()),
      });
      await grantAllBut(world, undefined);
      await Promise.all([subscriptionInstalls(world), extensionInstalls(world)]);
    } finally {
      await world.stop();
    }
  });
