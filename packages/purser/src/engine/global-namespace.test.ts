import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { catalogSources, clusterServiceVersions, operatorGroups } from "../apis/olm-resources.ts";
import { demoWorld } from "./demo-world.ts";
import { startEmbedded } from "./embedded.ts";
import { embeddedOptions } from "./testing/embedded-options.ts";

const never = new AbortController().signal;

test("another global namespace holds the demo's catalog, and every namespace resolves from it", async (context) => {
  const directory = await mkdtemp(join(tmpdir(), "purser-global-namespace-"));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const demo = demoWorld("default");
  assert.ok(demo !== undefined);
  const started = await startEmbedded(embeddedOptions(directory, { demo, globalNamespace: "shared-catalogs" }), never);
  assert.ok(started.ok);
  const { client } = started.value;
  try {
    const sources = await client.list(catalogSources);
    assert.deepEqual(
      sources.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
      ["shared-catalogs/demo"],
    );
    const [group] = await client.list(operatorGroups, { namespace: "shared-catalogs" });
    assert.deepEqual(group?.spec?.targetNamespaces, ["shared-catalogs"]);
    assert.equal(await client.get(namespaces, { name: "olm" }), undefined);
    let csvs: readonly unknown[] = [];
    for (let i = 0; csvs.length === 0 && i < 6000; i++) {
      csvs = await client.list(clusterServiceVersions, { namespace: "demo-logbook" });
      await systemClock.sleep(50, never);
    }
    assert.equal(csvs.length, 1);
  } finally {
    await started.value.stop();
  }
});
