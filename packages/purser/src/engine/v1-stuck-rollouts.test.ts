import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { parseCompat } from "../compat.ts";
import { World } from "./testing/world.ts";

const name = "logbook-db";

/** A cluster where the Deployment of logbook-db `version` never becomes available. */
async function worldWithBroken(version: string, switches = ""): Promise<World> {
  const compat = parseCompat(switches);
  assert.ok(compat.ok);
  const world = await World.open({ compat: compat.value });
  const file = join(world.bundlesDirectory, name, version, "manifests", "logbook-db.clusterserviceversion.yaml");
  const text = await readFile(file, "utf8");
  // No pod is ever placed on a node with this label.
  await writeFile(
    file,
    text.replace(
      /^( +)serviceAccountName: (?=.*\n +containers:)/m,
      '$1nodeSelector: {absent: "true"}\n$1serviceAccountName: ',
    ),
  );
  return world;
}

const narrow = (world: World, version: string): Promise<void> =>
  world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version } } } });

const rollsOut = (world: World, version: string): Promise<ClusterExtension> =>
  world.reaches(
    clusterExtensions,
    { name },
    `rolling out ${version}`,
    ({ status }) =>
      status?.conditions?.some(
        ({ type, reason, message }) =>
          type === "Progressing" && reason === "RollingOut" && message === `Revision ${version} is rolling out.`,
      ) === true,
  );

const arrives = (world: World, version: string): Promise<ClusterExtension> =>
  world.reaches(
    clusterExtensions,
    { name },
    `at ${version}`,
    ({ status }) =>
      status?.install?.bundle.version === version &&
      status.conditions?.some(({ type, reason }) => type === "Progressing" && reason === "Succeeded") === true,
  );

test("without --compat=stuck-rollouts another version replaces an installation that never becomes available", async () => {
  const world = await worldWithBroken("1.0.0");
  try {
    await world.extend(name, "1.0.0");
    await rollsOut(world, "1.0.0");
    await narrow(world, "1.1.0");
    await arrives(world, "1.1.0");
    const first = await world.reaches(
      clusterObjectSets,
      { name: `${name}-1` },
      "archived",
      ({ status }) => status?.conditions?.some(({ reason }) => reason === "Archived") === true,
    );
    assert.equal(first.spec?.lifecycleState, "Archived");
  } finally {
    await world.stop();
  }
});

test("an upgrade that never becomes available is left for the version that was installed, and for a newer one", async () => {
  const world = await worldWithBroken("1.1.0");
  try {
    await world.extend(name, "1.0.0");
    await arrives(world, "1.0.0");
    await narrow(world, "1.1.0");
    await rollsOut(world, "1.1.0");
    await narrow(world, "1.0.0");
    await arrives(world, "1.0.0");
    await narrow(world, "1.1.0");
    await rollsOut(world, "1.1.0");
    await narrow(world, "1.2.0");
    await arrives(world, "1.2.0");
  } finally {
    await world.stop();
  }
});

test("with --compat=stuck-rollouts an installation that never becomes available goes on whatever is asked for", async () => {
  const world = await worldWithBroken("1.0.0", "stuck-rollouts");
  try {
    await world.extend(name, "1.0.0");
    await rollsOut(world, "1.0.0");
    await narrow(world, "1.1.0");
    await world.settled();
    assert.deepEqual(
      (await world.client.list(clusterObjectSets)).map(({ metadata }) => metadata.name),
      [`${name}-1`],
    );
  } finally {
    await world.stop();
  }
});
