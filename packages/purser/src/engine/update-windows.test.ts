// Windows and soak on a clock that only the test moves: upgrades begin in the millisecond in which time allows them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { formatTime } from "@purser/kubernetes/clock";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterExtensions, clusterUpdatePolicies, subscriptions, updatePolicies } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

// A Thursday.
const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
let world: World;
before(async () => {
  world = await World.open({ clock });
});
after(() => world?.stop());

async function rest(): Promise<void> {
  for (let round = 0; round < 15; round++) {
    await world.settled();
    clock.advance(200);
  }
  await world.settled();
}

async function createPolicy(type: ResourceType, metadata: { name: string; namespace?: string }, spec: JsonObject) {
  await world.create(type, { apiVersion: "purser.dev/v1alpha1", kind: type.kind, metadata, spec } as never);
}

/** `VERSION`, and after it what is held back. */
async function subscription(namespace: string): Promise<string> {
  const { status } = (await world.client.get(subscriptions, { namespace, name: "logbook-db" })) ?? {};
  const held = status?.conditions?.find(({ type }) => type === "UpdateHeld");
  return `${status?.installedCSV}${held === undefined ? "" : ` ${held.reason}: ${held.message}`}`;
}

async function extension(): Promise<string> {
  const { status } = (await world.client.get(clusterExtensions, { name: "ballast-cache" })) ?? {};
  const held = findCondition(status?.conditions, "UpdateHeld");
  return `${status?.install?.bundle.version}${held === undefined ? "" : ` ${held.reason}: ${held.message}`}`;
}

/** Moves the clock to the time and lets everything settle. */
async function until(time: number): Promise<void> {
  clock.advance(time - clock.now());
  await world.settled();
}

async function settles(what: string, look: () => Promise<string>, expected: RegExp): Promise<string> {
  return world.until(
    what,
    async () => {
      await rest();
      const text = await look();
      return expected.test(text) ? text : undefined;
    },
    { seen: look },
  );
}

test("a Subscription and a ClusterExtension are upgraded in the millisecond in which their window opens", async () => {
  await world.tenant("logs");
  const spec = { windows: [{ schedule: "0 9 * * 5", duration: "2h", timeZone: "Asia/Tokyo" }] };
  await createPolicy(updatePolicies, { name: "office", namespace: "logs" }, spec);
  await createPolicy(clusterUpdatePolicies, { name: "office" }, { ...spec, selector: { kinds: ["ClusterExtension"] } });
  await world.subscribe("logs", "logbook-db", { startingCSV: "logbook-db.v1.0.0" });
  await world.extend("ballast-cache", "0.4.0");
  await settles("ballast-cache 0.4.0", extension, /^0\.4\.0/);
  await world.merge(clusterExtensions, { name: "ballast-cache" }, { spec: { source: { catalog: { version: null } } } });
  const opens = "the next of which opens at 2026-01-02T00:00:00Z (Fri 09:00 in Asia/Tokyo)";
  const look = "see which policy decides, and change it: purser policy effective";
  assert.equal(
    await settles("held", () => subscription("logs"), /OutsideWindow/),
    `logbook-db.v1.0.0 OutsideWindow: logbook-db.v1.1.0 is held back by UpdatePolicy logs/office: outside of its windows, ${opens}. ${look} sub/logs/logbook-db`,
  );
  assert.equal(
    await settles("held", extension, /OutsideWindow/),
    `0.4.0 OutsideWindow: ballast-cache.v0.4.1 is held back by ClusterUpdatePolicy office: outside of its windows, ${opens}. ${look} ext/ballast-cache`,
  );
  // What was to be looked at again after the installation is over by then.
  clock.advance(3_600_000);
  await rest();
  const opening = Date.parse("2026-01-02T00:00:00Z");
  const writes = world.engineWrites.length;
  // Nothing but the policies' own time wakes these keys: a pass in between would be polling.
  const passes = world.passes();
  await until(opening - 1);
  const decided = ["namespace-resolution", "cluster-extension", "update-policy"] as const;
  for (const name of decided) assert.equal(world.passes()[name], passes[name], name);
  assert.deepEqual(world.engineWrites.slice(writes), []);
  await until(opening);
  assert.match(await settles("upgraded", () => subscription("logs"), /^logbook-db\.v1\.2\.0$/), /1\.2\.0$/);
  assert.equal(await settles("upgraded", extension, /^0\.4\.1$/), "0.4.1");
});

test("a new pass outside of a window reads nothing live and writes nothing", async () => {
  await world.merge(
    updatePolicies,
    { namespace: "logs", name: "office" },
    { metadata: { labels: { touched: "once" } } },
  );
  await rest();
  const [writes, reads] = [world.engineWrites.length, world.engineReads.length];
  const passes = world.passes();
  await world.merge(
    updatePolicies,
    { namespace: "logs", name: "office" },
    { metadata: { labels: { touched: "twice" } } },
  );
  await rest();
  assert.ok((world.passes()["namespace-resolution"] ?? 0) > (passes["namespace-resolution"] ?? 0));
  assert.deepEqual([world.engineWrites.slice(writes), world.engineReads.slice(reads)], [[], []]);
});

test("a version soaks from when it was first seen, also over a restart, and is taken in the second in which that ends", async () => {
  await world.tenant("soaked");
  await createPolicy(updatePolicies, { name: "soak", namespace: "soaked" }, { soak: "3d" });
  await world.subscribe("soaked", "logbook-db", { startingCSV: "logbook-db.v1.0.0" });
  const held = await settles("soaks", () => subscription("soaked"), /^logbook-db\.v1\.0\.0 Soaking: .* soaks until/);
  const policy = await world.client.get(updatePolicies, { namespace: "soaked", name: "soak" });
  const seen = policy?.status?.firstSeen ?? [];
  assert.deepEqual(
    seen.map((one) => [one.package, one.bundles]),
    [["logbook-db", ["logbook-db.v1.1.0", "logbook-db.v1.2.0", "logbook-db.v2.0.0-rc.1"]]],
  );
  const end = Date.parse(seen[0]?.at ?? "") + 3 * 24 * 3_600_000;
  assert.match(
    held,
    new RegExp(`UpdatePolicy soaked/soak: soaks until ${formatTime(end)}, 3d after it was first seen\\.`),
  );
  await until(end - 3_600_000);
  await world.restartEngine();
  await rest();
  assert.equal(await subscription("soaked"), held);
  assert.deepEqual(
    (await world.client.get(updatePolicies, { namespace: "soaked", name: "soak" }))?.status?.firstSeen,
    seen,
  );
  const passes = world.passes()["namespace-resolution"];
  await until(end - 1);
  assert.equal(world.passes()["namespace-resolution"], passes);
  assert.equal(await subscription("soaked"), held);
  await until(end);
  await settles("upgraded", () => subscription("soaked"), /^logbook-db\.v1\.2\.0$/);
  const done = await world.client.get(updatePolicies, { namespace: "soaked", name: "soak" });
  assert.deepEqual(done?.status?.firstSeen, [{ ...seen[0], bundles: ["logbook-db.v2.0.0-rc.1"] }]);
});
