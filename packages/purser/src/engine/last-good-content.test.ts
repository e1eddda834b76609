import { improved } from "../compat.ts";
import { Counters } from "@purser/kubernetes/kube/counters";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { catalogSources, clusterCatalogs, clusterExtensions, clusterServiceVersions } from "../apis/olm-resources.ts";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import { serveClusterCatalogs } from "../endpoints/catalog-endpoint.ts";
import { globalNamespace } from "../apis/own-namespaces.ts";
import { World } from "./testing/world.ts";

// The tests share one world: the catalog is valid, is broken when the engine restarts, then its reference changes.
let world: World;
const source = { namespace: globalNamespace, name: "demo" };
const catalog = { name: "demo" };

const conditionOf = (
  { status }: CatalogSource | ClusterCatalog,
  type: string,
): { readonly status: string; readonly reason: string; readonly message: string } | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

before(async () => {
  world = await World.open();
  await world.reaches(clusterCatalogs, catalog, "served", (held) => conditionOf(held, "Serving")?.status === "True");
  await world.reaches(catalogSources, source, "ready", (held) => conditionOf(held, "Ready")?.status === "True");
});

after(() => world?.stop());

test("after a restart with a broken catalog the content that its status names is used", async () => {
  const resolved = (await world.client.get(clusterCatalogs, catalog))?.status?.resolvedSource;
  await world.restartEngine(() =>
    writeFileSync(join(world.catalogDirectory, "broken.yaml"), "---\nschema: olm.channel\n  oops: ["),
  );
  const told = await world.reaches(clusterCatalogs, catalog, "told that the change is broken", (held) =>
    /broken\.yaml:\d+/.test(conditionOf(held, "Progressing")?.message ?? ""),
  );
  assert.deepEqual([conditionOf(told, "Serving")?.status, told.status?.resolvedSource], ["True", resolved]);
  const shown = await world.reaches(
    catalogSources,
    source,
    "told as well",
    (held) => conditionOf(held, "Ready")?.reason === "ServingLastGood",
  );
  assert.equal(shown.status?.connectionState?.lastObservedState, "READY");
});

test("the last valid content can be installed with a Subscription and with a ClusterExtension", async () => {
  await world.tenant("late");
  await world.subscribe("late", "ballast-cache", { startingCSV: "ballast-cache.v0.3.0" });
  await world.extend("logbook-db", "1.0.0");
  const csv = { namespace: "late", name: "ballast-cache.v0.3.0" };
  await world.until("the CSV", () => world.client.get(clusterServiceVersions, csv));
  await world.reaches(
    clusterExtensions,
    { name: "logbook-db" },
    "installed",
    ({ status }) => status?.install?.bundle.version === "1.0.0",
  );
});

test("a replica that starts now serves it over HTTP", async () => {
  const content = world.openDirectories();
  const serving = await serveClusterCatalogs(
    {
      reader: world.client,
      content,
      clock: systemClock,
      entropy: systemEntropy,
      metrics: new Counters(),
      compat: improved,
      log: () => {},
    },
    { host: "127.0.0.1", port: 0 },
  );
  assert.ok(serving.ok);
  try {
    const answer = await fetch(`${serving.value.origin}/catalogs/demo/api/v1/metas?schema=olm.package`);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /"name":"logbook-db"/);
  } finally {
    await serving.value.stop(0);
    await content.stop();
  }
});

test("a reference that cannot be read blocks the catalog, and the installed content keeps working", async () => {
  const before = await world.client.get(clusterCatalogs, catalog);
  await world.merge(clusterCatalogs, catalog, { spec: { source: { image: { ref: "quay.io/demo/catalog:v2" } } } });
  const blocked = await world.reaches(
    clusterCatalogs,
    catalog,
    "blocked",
    (held) => conditionOf(held, "Progressing")?.reason === "Blocked",
  );
  assert.match(conditionOf(blocked, "Progressing")?.message ?? "", /catalog:v2 cannot be pulled.*--catalog NAME=PATH/);
  assert.deepEqual(
    [conditionOf(blocked, "Serving")?.status, blocked.status?.resolvedSource],
    ["True", before?.status?.resolvedSource],
  );
  await world.merge(clusterExtensions, { name: "logbook-db" }, { spec: { source: { catalog: { version: "1.1.0" } } } });
  await world.reaches(
    clusterExtensions,
    { name: "logbook-db" },
    "upgraded",
    ({ status }) => status?.install?.bundle.version === "1.1.0",
  );
});
