import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterServiceVersions, installPlans, subscriptions } from "../apis/olm-resources.ts";
import type { SubscriptionSpec } from "../apis/v0/subscription.ts";
import { parseCompat } from "../compat.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { World } from "./testing/world.ts";

/**
 * A clock on which a second does not end while this is set: what waits for a second at most waits for its condition. Other delays end:
 * a queue has one timer for all its keys, and one that did not ring would hold up what is due after it.
 */
let isPatient = true;
const clock: Clock = {
  ...systemClock,
  sleep: (durationMs, signal) =>
    systemClock.sleep(isPatient && durationMs === 1_000 ? durationMs * 1_000 : durationMs, signal),
};
let world: World;
before(async () => {
  world = await World.open({ clock });
});
after(() => world?.stop());

async function succeeded(there: World, namespace: string, name: string): Promise<void> {
  await there.reaches(
    clusterServiceVersions,
    { namespace, name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
}

/** `GENERATION PHASE CSVS of OWNERS` of each InstallPlan of the namespace, by generation. */
async function plansIn(there: World, namespace: string): Promise<readonly string[]> {
  const plans = await there.client.list(installPlans, { namespace });
  return plans
    .map(({ metadata, spec, status }) => {
      const owners = (metadata.ownerReferences ?? []).map(({ name }) => name).sort();
      return `${spec.generation} ${status?.phase} ${spec.clusterServiceVersionNames.join(" ")} of ${owners.join(" ")}`;
    })
    .sort();
}

const manual = { startingCSV: "logbook-db.v1.0.0", installPlanApproval: "Manual" } as const;

test("an operator is installed, upgraded and removed while the InstallPlan of a neighbour waits for approval", async () => {
  const namespace = "apart";
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", manual);
  await world.subscribe(namespace, "ballast-cache", { startingCSV: "ballast-cache.v0.4.0" });
  await succeeded(world, namespace, "ballast-cache.v0.4.1");
  await world.settled();
  const waiting = (await plansIn(world, namespace)).find((plan) => plan.includes("logbook-db"));
  assert.match(waiting ?? "", /^\d RequiresApproval logbook-db\.v1\.0\.0 of logbook-db$/);
  await world.approve(namespace, "logbook-db.v1.0.0");
  await succeeded(world, namespace, "logbook-db.v1.0.0");
  await world.settled();
  const plans = await plansIn(world, namespace);
  assert.equal(new Set(plans.map((plan) => plan.split(" ")[0])).size, plans.length, plans.join("\n"));
  await world.remove(subscriptions, { namespace, name: "ballast-cache" });
  await world.settled();
  assert.deepEqual(
    (await plansIn(world, namespace)).filter((plan) => plan.includes("ballast-cache")),
    [],
  );
});

test("a dependency is in the InstallPlan of what requires it and waits with it, a neighbour does not", async () => {
  const namespace = "together";
  await world.tenant(namespace);
  await world.settled();
  await Promise.all([
    world.subscribe(namespace, "semaphore-gateway", { installPlanApproval: "Manual" }),
    world.subscribe(namespace, "logbook-db"),
  ]);
  await world.until("logbook-db is at the head", async () =>
    (await plansIn(world, namespace)).find((plan) => / Complete logbook-db\.v\S+ of logbook-db$/.test(plan)),
  );
  await world.settled();
  const plans = (await plansIn(world, namespace)).join("\n");
  assert.match(plans, /RequiresApproval ballast-cache\.v0\.4\.1 semaphore-gateway\.v1\.1\.0 of semaphore-gateway$/m);
  assert.equal(await world.client.get(clusterServiceVersions, { namespace, name: "ballast-cache.v0.4.1" }), undefined);
});

test("a process that dies between two InstallPlans of one pass leaves each of them once", async () => {
  const namespace = "killed";
  await world.tenant(namespace);
  await world.settled();
  const death = Promise.withResolvers<undefined>();
  let dead = false;
  world.disturb = ({ method, path }, moment) => {
    if (!dead && moment === "after" && method === "POST" && path.endsWith(`/namespaces/${namespace}/installplans`)) {
      dead = true;
      death.resolve(undefined);
    }
    if (dead) throw new Error("connection lost");
  };
  // The second Subscription is there before the pass begins that sees the first one.
  await Promise.all([world.subscribe(namespace, "logbook-db"), world.subscribe(namespace, "ballast-cache")]);
  await death.promise;
  await world.restartEngine(() => {
    world.disturb = undefined;
  });
  await succeeded(world, namespace, "ballast-cache.v0.4.1");
  await world.reaches(
    subscriptions,
    { namespace, name: "logbook-db" },
    "at the head",
    ({ status }) => status?.state === "AtLatestKnown",
  );
  await world.settled();
  const plans = await plansIn(world, namespace);
  assert.equal(plans.length, 2, plans.join("\n"));
  assert.equal(plans.filter((plan) => plan.includes(" Complete ")).length, 2, plans.join("\n"));
});

/** Whether the engine's caches show the Subscription. */
const isSeen = (there: World, namespace: string, name: string): boolean =>
  there.engine.cache.cached(subscriptions, { namespace, name }) !== undefined;

/** Creates these Subscriptions; passes that begin before all of them are seen make no InstallPlans. */
async function inOnePass(
  there: World,
  namespace: string,
  specs: Readonly<Record<string, Partial<SubscriptionSpec>>>,
): Promise<void> {
  let attempts = 0;
  there.disturb = ({ method, path }, moment) => {
    if (moment !== "before" || method !== "POST" || !path.endsWith(`/namespaces/${namespace}/installplans`)) return;
    attempts++;
    throw new Error("connection lost");
  };
  for (const [name, spec] of Object.entries(specs)) await there.subscribe(namespace, name, spec);
  await there.until("all are seen", async () => Object.keys(specs).every((name) => isSeen(there, namespace, name)));
  // A pass ends at its first failure: the next attempt may be of one that began before, the second one is not.
  const before = attempts;
  await there.until("a pass that sees all", async () => attempts >= before + 2);
  there.disturb = undefined;
}

/** What the engine did about InstallPlans and CSVs of the namespace since then, in the order of its writes. */
function planWrites(namespace: string, since: number): readonly string[] {
  const writes: Readonly<Record<string, string>> = {
    "POST installplans": "create a plan",
    "PUT installplans status": "fill a plan",
    "POST clusterserviceversions": "execute a plan",
  };
  return world.engineWrites.slice(since).flatMap(({ method, path }) => {
    const [, kind = "", , subresource] =
      path.split(`/namespaces/${namespace}/`)[1]?.match(/^(\w+)(\/[^/]+)?(?:\/(\w+))?$/) ?? [];
    return writes[[method, kind, ...(subresource === undefined ? [] : [subresource])].join(" ")] ?? [];
  });
}

test("all InstallPlans of one pass are created before one of them gets its steps", async () => {
  const namespace = "first";
  await world.tenant(namespace);
  await world.settled();
  const since = world.engineWrites.length;
  await inOnePass(world, namespace, { "logbook-db": {}, "ballast-cache": {} });
  await succeeded(world, namespace, "ballast-cache.v0.4.1");
  assert.deepEqual(planWrites(namespace, since).slice(0, 4), [
    "create a plan",
    "create a plan",
    "fill a plan",
    "fill a plan",
  ]);
});

test("an InstallPlan whose steps were refused three times gets them although nothing else happens", async () => {
  const namespace = "repeated";
  await world.tenant(namespace);
  await world.settled();
  let attempts = 0;
  world.disturb = ({ method, path }, moment) => {
    if (moment !== "before" || method !== "PUT") return;
    if (/\/namespaces\/repeated\/installplans\/[^/]+\/status$/.test(path) && ++attempts <= 3) throw new Error("lost");
  };
  await world.subscribe(namespace, "ballast-cache");
  await succeeded(world, namespace, "ballast-cache.v0.4.1");
  world.disturb = undefined;
});

test("no InstallPlan is executed before the pass over the next Subscription has made its own", async () => {
  const namespace = "burst";
  await world.tenant(namespace);
  await world.settled();
  const since = world.engineWrites.length;
  // The first InstallPlan gets its steps once the second Subscription is seen, for which another pass is due then.
  world.disturb = async ({ method, path }, moment) => {
    if (moment !== "before" || method !== "PUT") return;
    if (!/\/namespaces\/burst\/installplans\/[^/]+\/status$/.test(path)) return;
    await world.until("the second Subscription", async () => isSeen(world, namespace, "ballast-cache"));
  };
  await world.subscribe(namespace, "logbook-db");
  await world.until("the first InstallPlan", async () => (await plansIn(world, namespace)).length > 0);
  await world.subscribe(namespace, "ballast-cache");
  await succeeded(world, namespace, "ballast-cache.v0.4.1");
  world.disturb = undefined;
  const writes = planWrites(namespace, since).slice(0, 4);
  assert.deepEqual(writes.toSorted(), ["create a plan", "create a plan", "fill a plan", "fill a plan"]);
});

test("an InstallPlan whose steps cannot be written holds up no other, and gets them later", async () => {
  const namespace = "refused";
  isPatient = false;
  await world.tenant(namespace);
  await world.settled();
  let refused: string | undefined;
  let isOver = false;
  world.disturb = ({ method, path }, moment) => {
    if (isOver || moment !== "before" || method !== "PUT") return;
    if (!/\/namespaces\/refused\/installplans\/[^/]+\/status$/.test(path)) return;
    refused ??= path;
    if (path === refused) throw new Error("connection lost");
  };
  await Promise.all([world.subscribe(namespace, "logbook-db"), world.subscribe(namespace, "ballast-cache")]);
  await world.until("one of the two is installed", async () => {
    const plans = await plansIn(world, namespace);
    return plans.find((plan) => plan.includes(" Complete "));
  });
  assert.notEqual(refused, undefined);
  isOver = true;
  world.disturb = undefined;
  await succeeded(world, namespace, "ballast-cache.v0.4.1");
  await world.reaches(
    subscriptions,
    { namespace, name: "logbook-db" },
    "at the head",
    ({ status }) => status?.state === "AtLatestKnown",
  );
});

test("with --compat=namespace-plans the approval of one Subscription holds up the whole namespace", async () => {
  const compat = parseCompat("namespace-plans");
  assert.ok(compat.ok);
  const strict = await World.open({ compat: compat.value });
  try {
    const namespace = "whole";
    await strict.tenant(namespace);
    await strict.settled();
    await inOnePass(strict, namespace, { "logbook-db": manual, "ballast-cache": {} });
    await strict.until("a plan of both", async () =>
      (await plansIn(strict, namespace)).find((plan) =>
        plan.endsWith("RequiresApproval ballast-cache.v0.4.1 logbook-db.v1.0.0 of ballast-cache logbook-db"),
      ),
    );
    assert.equal(
      await strict.client.get(clusterServiceVersions, { namespace, name: "ballast-cache.v0.4.1" }),
      undefined,
    );
  } finally {
    await strict.stop();
  }
});
