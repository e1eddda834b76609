// search, show and plan on a machine that holds none of the cluster's catalogs.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { clusterCatalogs } from "../../apis/olm-resources.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";
import { runPurser } from "../testing/run-purser.ts";

let cluster: DemoCluster;
before(async () => {
  const listener = { host: "127.0.0.1", port: 0 };
  cluster = await startDemoCluster(() => ({ catalogServing: listener, packageServing: listener }));
});
after(() => cluster.stop());

const withCache = (name: string) => {
  const directory = dirname(cluster.cacheDirectory);
  const env = { KUBECONFIG: join(directory, "kubeconfig"), PURSER_CACHE_DIR: join(directory, name), HOME: directory };
  return (args: readonly string[]) => runPurser(args, { env });
};
const names = ["ballast-cache", "logbook-db", "semaphore-gateway"];

test("a ClusterCatalog that this machine lacks is read from the cluster, for every command", async () => {
  const purser = withCache("first");
  const found = await purser(["search", "-o", "name"]);
  assert.deepEqual([found.text.split("\n"), found.errors], [names, ""]);
  const plan = await purser(["plan", "ballast-cache", "--as-extension"]);
  assert.match(plan.text, /^Plan for ext\/ballast-cache: nothing to do\n {2}ballast-cache\.v0\.4\.1 from catalog demo/);
});

test("a CatalogSource that no ClusterCatalog serves is searched through the package API, which stderr says", async () => {
  const purser = withCache("second");
  const patch = { spec: { availabilityMode: "Unavailable" } };
  const write = { verb: "patch", type: clusterCatalogs, key: { name: "demo" }, patchType: "merge", patch } as const;
  assert.ok((await cluster.client.write(write, new AbortController().signal)).ok);
  await cluster.settled();
  const found = await purser(["search", "-o", "name"]);
  assert.deepEqual(found.text.split("\n"), names);
  assert.equal(found.errors, "olm/demo: as the package API of the cluster describes it, which has no upgrade edges");
  const shown = await purser(["show", "logbook-db", "-q"]);
  assert.match(shown.text, /^Logbook DB \(logbook-db\) {2}by Purser demo/);
  assert.match(shown.text, /latest +1\.2\.0 in stable \(default\); also candidate/);
  assert.match(shown.text, /provides +Ledger/);
  assert.equal(shown.errors, "");
});
