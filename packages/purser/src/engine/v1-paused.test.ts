import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deployments, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import { shownAsPaused } from "../apis/v1/paused.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const name = "logbook-db";
const account = { namespace: name, name: "logbook-db-controller" };
const setPaused = (value: "true" | null): Promise<void> =>
  world.merge(clusterExtensions, { name }, { metadata: { annotations: { "purser.dev/paused": value } } });
const installed = (version: string) =>
  world.reaches(
    clusterExtensions,
    { name },
    `at ${version}`,
    ({ status }) => status?.install?.bundle.version === version,
  );

test("a paused extension is neither upgraded nor repaired, and both happen once it is resumed", async () => {
  await world.extend(name, "1.0.0");
  await installed("1.0.0");
  await world.settled();
  await setPaused("true");
  await world.reaches(clusterExtensions, { name }, "paused", (one) => shownAsPaused(one) !== undefined);
  await world.settled();
  const revisions = await world.client.list(clusterObjectSets);
  world.engineWrites.length = 0;
  await world.remove(serviceAccounts, account);
  await world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: "1.1.0" } } } });
  await world.reaches(
    clusterExtensions,
    { name },
    "seen",
    ({ metadata, status }) =>
      status?.conditions?.find(({ type }) => type === "Ready")?.observedGeneration === metadata.generation,
  );
  await world.settled();
  assert.equal(await world.client.get(serviceAccounts, account), undefined);
  assert.deepEqual(
    (await world.client.list(clusterObjectSets)).map(({ metadata }) => metadata.resourceVersion),
    revisions.map(({ metadata }) => metadata.resourceVersion),
  );
  assert.deepEqual(
    world.engineWrites.map(({ path }) => path).filter((path) => !path.endsWith(`/clusterextensions/${name}/status`)),
    [],
  );
  await world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: "1.0.0" } } } });
  await setPaused(null);
  await world.reaches(serviceAccounts, account, "made again", () => true);
  await world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: "1.1.0" } } } });
  await installed("1.1.0");
});

test("a paused extension that is deleted takes its objects with it, and nothing of it is repaired meanwhile", async () => {
  await setPaused("true");
  await world.reaches(clusterExtensions, { name }, "paused", (one) => shownAsPaused(one) !== undefined);
  await world.remove(serviceAccounts, account);
  await world.settled();
  world.engineWrites.length = 0;
  await world.remove(clusterExtensions, { name });
  await world.vanishes(clusterExtensions, { name });
  for (const { metadata } of await world.client.list(clusterObjectSets))
    await world.vanishes(clusterObjectSets, { name: metadata.name ?? "" });
  await world.vanishes(deployments, account);
  await world.settled();
  assert.deepEqual(
    world.engineWrites
      .map(({ method, path }) => `${method} ${path}`)
      .filter((line) => !line.includes("olm.operatorframework.io")),
    [],
  );
});
