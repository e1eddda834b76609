import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterExtensions, clusterServiceVersions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

async function install(): Promise<void> {
  const namespace = "idle";
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
  await world.extend("ballast-cache", "0.4.1");
  await world.reaches(
    clusterServiceVersions,
    { namespace, name: "logbook-db.v1.2.0" },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
  await world.reaches(clusterExtensions, { name: "ballast-cache" }, "installed", ({ status }) =>
    (status?.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Succeeded"),
  );
  await world.settled();
}

test("an installation with OLM v0 and OLM v1 takes a bounded number of writes, of which only conflicts are refused", async () => {
  await install();
  const accepted = world.engineWrites.filter(({ status }) => status < 400);
  const count = (kind: RegExp): number => accepted.filter(({ path }) => kind.test(path)).length;
  const [statuses, events] = [count(/\/status(\?|$)/), count(/\/events(\/|\?|$)/)];
  const objects = accepted.length - statuses - events;
  assert.ok(objects < 56, `${objects} writes of objects`);
  // Where work takes longer, more of the states between are shown.
  assert.ok(statuses < 90, `${statuses} writes of statuses`);
  assert.ok(events < 12, `${events} writes of events`);
  assert.deepEqual(
    world.engineWrites.filter(({ status }) => status >= 400 && status !== 409),
    [],
  );
});

test("a settled engine writes nothing and runs no pass for three seconds", async () => {
  await world.settled();
  const writes = world.engineWrites.length;
  const passes = world.passes();
  await world.pause(3_000);
  assert.deepEqual(world.engineWrites.slice(writes), []);
  assert.deepEqual(world.passes(), passes);
});

test("a new process on a settled cluster reconciles every object and writes nothing", async () => {
  await world.settled();
  const writes = world.engineWrites.length;
  await world.restartEngine();
  await world.until("a look at everything", async () => (world.passes()["cluster-object-set"] ?? 0) > 0);
  await world.pause(500);
  await world.settled();
  assert.deepEqual(
    world.engineWrites.slice(writes).map(({ method, path }) => `${method} ${path}`),
    [],
  );
});
