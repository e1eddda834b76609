// How many revisions of an extension are kept, and what archiving one by hand leads to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { World } from "./testing/world.ts";

const name = "logbook-db";

const succeeded = ({ status }: ClusterObjectSet): boolean =>
  status?.conditions?.some(({ type, status: held }) => type === "Succeeded" && held === "True") === true;

const isSettled = ({ status }: ClusterExtension): boolean =>
  status?.conditions?.some(({ type, reason }) => type === "Progressing" && reason === "Succeeded") === true;

const revisionsOf = async (world: World): Promise<readonly string[]> =>
  (await world.client.list(clusterObjectSets))
    .toSorted((a, b) => (a.spec?.revision ?? 0) - (b.spec?.revision ?? 0))
    .map(({ metadata, spec }) => `${metadata.name} ${spec?.lifecycleState}`);

test("five revisions are kept beside the newest one, and the objects of those deleted stay as they are", async () => {
  const world = await World.open();
  try {
    await world.extend(name);
    await world.reaches(clusterObjectSets, { name: `${name}-1` }, "rolled out", succeeded);
    for (let number = 2; number <= 8; number++) {
      const inline = { deploymentConfig: { env: [{ name: "ROUND", value: String(number) }] } };
      await world.merge(clusterExtensions, { name }, { spec: { config: { configType: "Inline", inline } } });
      await world.reaches(clusterObjectSets, { name: `${name}-${number}` }, "rolled out", succeeded);
      await world.reaches(
        clusterObjectSets,
        { name: `${name}-${number - 1}` },
        "archived",
        ({ status }) => status?.conditions?.some(({ reason }) => reason === "Archived") === true,
      );
    }
    await world.settled();
    assert.deepEqual(await revisionsOf(world), [
      ...[3, 4, 5, 6, 7].map((number) => `${name}-${number} Archived`),
      `${name}-8 Active`,
    ]);
    const key = { namespace: name, name: `${name}-controller` };
    const [container] = (await world.client.get(deployments, key))?.spec?.template.spec?.containers ?? [];
    assert.equal(container?.env?.find((variable) => variable.name === "ROUND")?.value, "8");
  } finally {
    await world.stop();
  }
});

test("the newest revision that is archived by hand is followed by another one with the same bundle", async () => {
  const world = await World.open();
  try {
    await world.extend(name, "1.0.0");
    await world.reaches(clusterObjectSets, { name: `${name}-1` }, "rolled out", succeeded);
    await world.merge(clusterObjectSets, { name: `${name}-1` }, { spec: { lifecycleState: "Archived" } });
    await world.reaches(clusterObjectSets, { name: `${name}-2` }, "rolled out", succeeded);
    const extension = await world.reaches(clusterExtensions, { name }, "settled", isSettled);
    assert.equal(extension.status?.install?.bundle.version, "1.0.0");
    await world.settled();
    assert.deepEqual(await revisionsOf(world), [`${name}-1 Archived`, `${name}-2 Active`]);
    const refused = await world.client.write(
      {
        verb: "patch",
        type: clusterObjectSets,
        key: { name: `${name}-1` },
        patchType: "merge",
        patch: { spec: { lifecycleState: "Active" } },
      },
      new AbortController().signal,
    );
    assert.ok(!refused.ok);
    assert.match(refused.problem.status.message, /cannot un-archive/);
  } finally {
    await world.stop();
  }
});
