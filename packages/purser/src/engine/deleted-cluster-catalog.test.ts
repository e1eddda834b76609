import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterCatalogs, clusterExtensions } from "../apis/olm-resources.ts";
import { sourceKey, sourceOfImage } from "../catalog/content.ts";
import { SetContent } from "../content/testing/set-content.ts";
import { World } from "./testing/world.ts";

test("a ClusterCatalog that is being deleted gives its content up and offers nothing, while a finalizer still holds it", async () => {
  const content = new SetContent();
  const world = await World.open({ content });
  const directories = world.openDirectories();
  const key = { name: "demo" };
  try {
    const source = sourceOfImage("local.purser.dev/catalogs/demo:latest");
    const ready = await world.until("the demo catalog", async () => {
      const found = directories.catalog({ source, credentials: [], policy: [] });
      return found.state.kind === "ready" ? found : undefined;
    });
    content.setCatalog(sourceKey(source), ready);
    await world.reaches(
      clusterCatalogs,
      key,
      "served",
      ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Serving" && is === "True") === true,
    );
    assert.equal(content.released.includes("ClusterCatalog demo"), false);
    await world.merge(clusterCatalogs, key, { metadata: { finalizers: ["example.com/hold"] } });
    await world.remove(clusterCatalogs, key);
    await world.until("its content given up", async () => content.released.includes("ClusterCatalog demo"));
    await world.extend("logbook-db", "1.0.0");
    const { status } = await world.reaches(
      clusterExtensions,
      { name: "logbook-db" },
      "judged",
      (extension) => (extension.status?.conditions ?? []).length > 0,
    );
    const progress = status?.conditions?.find(({ type }) => type === "Progressing");
    assert.match(progress?.message ?? "", /no bundles found for package "logbook-db"/);
    assert.deepEqual(content.asked, [], "no bundle of it is asked for");
    assert.notEqual((await world.client.get(clusterCatalogs, key))?.metadata.deletionTimestamp, undefined);
    await world.merge(clusterCatalogs, key, { metadata: { finalizers: [] } });
    await world.vanishes(clusterCatalogs, key);
  } finally {
    await directories.stop();
    await world.stop();
  }
});
