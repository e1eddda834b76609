import assert from "node:assert/strict";
import { test } from "node:test";
import { type Condition, findCondition } from "@purser/kubernetes/apis/condition";
import type { Clock } from "@purser/kubernetes/clock";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterCatalogs, clusterExtensions } from "../apis/olm-resources.ts";
import { DemoRegistry } from "./testing/demo-registry.ts";
import { World } from "./testing/world.ts";

/** Ten times as fast as the machine's clock: the shortest interval of a ClusterCatalog is a minute. */
const pace = 10;
const started = Date.now();
const fast: Clock = {
  now: () => started + (Date.now() - started) * pace,
  monotonic: () => systemClock.monotonic() * pace,
  sleep: (durationMs, signal) => systemClock.sleep(durationMs / pace, signal),
};
const demo = { name: "demo" };

test("the tag of a ClusterCatalog is polled: an unchanged one writes nothing, new content is resolved, a failure changes nothing", async (context) => {
  const registry = await DemoRegistry.start();
  context.after(() => registry.stop());
  const world = await World.open({ image: { reference: registry.catalog, pulling: registry.pulling }, clock: fast });
  context.after(() => world.stop());
  const digestOf = async (): Promise<string> =>
    (await world.client.get(clusterCatalogs, demo))?.status?.resolvedSource?.image.ref.split("@")[1] ?? "";
  const conditions = async (): Promise<readonly Condition[]> =>
    (await world.client.get(clusterCatalogs, demo))?.status?.conditions ?? [];
  const looks = (): number =>
    registry.registry.requests.filter(({ path }) => path.endsWith("/demo/catalog/manifests/latest")).length;

  await world.merge(clusterCatalogs, demo, { spec: { source: { image: { pollIntervalMinutes: 1 } } } });
  await world.extend("logbook-db", undefined, {
    source: { sourceType: "Catalog", catalog: { packageName: "logbook-db", channels: ["next"] } },
  });
  await world.reaches(clusterExtensions, { name: "logbook-db" }, "waiting for a channel", ({ status }) =>
    (findCondition(status?.conditions, "Progressing")?.message ?? "").includes("next"),
  );
  const first = await digestOf();
  const written = world.engineWrites.filter(({ path }) => path.includes("/clustercatalogs/")).length;
  const seen = looks();
  await world.until("a poll", () => Promise.resolve(looks() > seen));
  await world.settled();
  assert.equal(await digestOf(), first);
  assert.equal(world.engineWrites.filter(({ path }) => path.includes("/clustercatalogs/")).length, written);

  const image = await registry.pushCatalog((text) =>
    /^name: logbook-db$/m.test(text) ? text.replaceAll("stable", "next") : text,
  );
  await world.reaches(
    clusterExtensions,
    { name: "logbook-db" },
    "installed from the new content",
    ({ status }) => status?.install?.bundle.version === "1.2.0",
  );
  assert.equal(await digestOf(), image.manifest.digest);

  const ref = registry.catalog.replace(":latest", ":missing");
  await world.merge(clusterCatalogs, demo, { spec: { source: { image: { ref } } } });
  await world.reaches(clusterCatalogs, demo, "retrying", ({ status }) =>
    (findCondition(status?.conditions, "Progressing")?.message ?? "").includes("answered 404"),
  );
  assert.equal(findCondition(await conditions(), "Serving")?.status, "True");
  assert.equal(await digestOf(), image.manifest.digest);
});
