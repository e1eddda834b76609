import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open({ crdSet: "standard" });
});
after(() => world?.stop());

const name = "ballast-cache";

test("with the standard set an extension is installed, has no field of the experimental set, and is at rest then", async () => {
  const definition = await world.client.get(customResourceDefinitions, {
    name: "clusterextensions.olm.operatorframework.io",
  });
  assert.equal(definition?.metadata.annotations?.["olm.operatorframework.io/generator"], "standard");
  await world.extend(name, "0.3.0", { progressDeadlineMinutes: 10 });
  await world.reaches(clusterExtensions, { name }, "installed", ({ status }) => status?.install !== undefined);
  await world.settled();
  const installed = await world.client.get(clusterExtensions, { name });
  assert.equal(installed?.spec?.progressDeadlineMinutes, undefined);
  assert.deepEqual(Object.keys(installed?.status ?? {}).toSorted(), ["conditions", "install"]);
  const revision = await world.client.get(clusterObjectSets, { name: `${name}-1` });
  assert.equal(revision?.spec?.revision, 1);
  world.engineWrites.length = 0;
  await world.merge(clusterExtensions, { name }, { metadata: { annotations: { looked: "again" } } });
  await world.settled();
  const written = world.engineWrites.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(written, [], "what the API server drops is not written again");
});
