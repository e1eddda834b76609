import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterCatalogs, clusterExtensions } from "../apis/olm-resources.ts";
import { KillSweep, roundsOf } from "./testing/kill-sweep.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
  await world.namespace(namespace);
  await world.reaches(
    clusterCatalogs,
    { name: "demo" },
    "serving",
    ({ status }) => status?.conditions?.some((held) => held.type === "Serving" && held.status === "True") === true,
  );
});
after(() => world.stop());

const namespace = "kills";
const name = "ballast-cache";

const arrives = (version: string): Promise<unknown> =>
  world.reaches(
    clusterExtensions,
    { name },
    `at ${version}`,
    ({ status }) =>
      status?.install?.bundle.version === version &&
      status.conditions?.some(({ type, reason }) => type === "Progressing" && reason === "Succeeded") === true,
  );

async function install(): Promise<void> {
  await world.extend(name, "0.4.0", { namespace });
  await arrives("0.4.0");
}

async function upgrade(): Promise<void> {
  await world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: "0.4.1" } } } });
  await arrives("0.4.1");
}

async function remove(): Promise<void> {
  await world.remove(clusterExtensions, { name });
  await world.vanishes(clusterExtensions, { name });
}

test("a ClusterExtension's installation, upgrade and deletion end the same when the process ends at any write", async () => {
  const sweep = await KillSweep.open(
    world,
    [
      { name: "installation", act: install },
      { name: "upgrade", act: upgrade },
      { name: "deletion", act: remove },
    ],
    () => Promise.resolve(),
  );
  const revisions = sweep.stages.map(({ end }) =>
    Object.keys(end).filter((key) => key.startsWith("ClusterObjectSet ")),
  );
  assert.deepEqual(
    revisions.map((keys) => keys.sort()),
    [
      ["ClusterObjectSet ballast-cache-1"],
      ["ClusterObjectSet ballast-cache-1", "ClusterObjectSet ballast-cache-2"],
      [],
    ],
  );
  assert.deepEqual(sweep.stages.at(-1)?.end, {});
  await sweep.run(roundsOf(sweep, 4));
});
