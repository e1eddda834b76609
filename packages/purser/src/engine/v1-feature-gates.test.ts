import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { secrets } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { parseFeatureGates } from "../feature-gates.ts";
import { World } from "./testing/world.ts";

const systemNamespace = "lifecycle";

let world: World;
before(async () => {
  const gates = parseFeatureGates(
    "BundleReleaseSupport=true,DeploymentConfig=false,SingleOwnNamespaceInstallSupport=false",
  );
  assert.ok(gates.ok);
  world = await World.open({ gates: gates.value, systemNamespace });
});
after(() => world?.stop());

const progress = ({ status }: ClusterExtension): string =>
  findCondition(status?.conditions, "Progressing")?.message ?? "";

test("with BundleReleaseSupport a release is upgraded by its own name, and the status and the annotations hold it apart", async () => {
  const file = join(world.catalogDirectory, "ballast-cache", "catalog.yaml");
  const text = await readFile(file, "utf8");
  // The names that catalogs have to give to bundles with a release.
  const names = ["ballast-cache-v0.4.0-2", "ballast-cache-v0.4.0-10"] as const;
  const released = (version: string, release: string) => `      version: ${version}\n      release: "${release}"`;
  const withFirst = text
    .replace("      version: 0.4.0", released("0.4.0", "2"))
    .replaceAll("ballast-cache.v0.4.0", names[0]);
  await writeFile(file, withFirst);
  const arrives = (bundle: string): Promise<ClusterExtension> =>
    world.reaches(
      clusterExtensions,
      { name: "ballast-cache" },
      `has ${bundle}`,
      ({ status }) => status?.install?.bundle.name === bundle,
    );
  await world.extend("ballast-cache", undefined, {
    source: { sourceType: "Catalog", catalog: { packageName: "ballast-cache", version: "0.3.0" } },
  });
  await arrives("ballast-cache.v0.3.0");
  await world.merge(
    clusterExtensions,
    { name: "ballast-cache" },
    { spec: { source: { catalog: { version: ">=0.3.0 <=0.4.0" } } } },
  );
  const first = await arrives(names[0]);
  assert.deepEqual(first.status?.install?.bundle, { name: names[0], version: "0.4.0", release: "2" });
  // Of one version, 10 comes after 2: releases compare by number. It enters the catalog when the first is installed.
  await writeFile(
    file,
    withFirst.replace("      version: 0.4.1", released("0.4.0", "10")).replaceAll("ballast-cache.v0.4.1", names[1]),
  );
  const second = await arrives(names[1]);
  assert.deepEqual(second.status?.install?.bundle, { name: names[1], version: "0.4.0", release: "10" });
  const revisions = await world.client.list(clusterObjectSets);
  const annotation = "olm.operatorframework.io/bundle-release";
  const releases = revisions.map(({ metadata: { name, annotations } }) => `${name} ${annotations?.[annotation]}`);
  // Both releases have the same files, so that the revision is updated in place.
  assert.deepEqual(releases.toSorted(), ["ballast-cache-1 undefined", "ballast-cache-2 10"]);
});

test("--system-namespace holds the Secrets of revisions", async () => {
  const held = await world.client.list(secrets, { labelSelector: "olm.operatorframework.io/revision-name" });
  assert.ok(held.length > 0, "revisions have Secrets");
  assert.deepEqual([...new Set(held.map(({ metadata }) => metadata.namespace))], [systemNamespace]);
});

test("without SingleOwnNamespaceInstallSupport and DeploymentConfig their configuration is unknown", async () => {
  await world.extend("logbook-db", "1.2.0", {
    config: { configType: "Inline", inline: { deploymentConfig: { nodeSelector: { disk: "ssd" } } } },
  });
  const refused = await world.reaches(clusterExtensions, { name: "logbook-db" }, "is refused", (extension) =>
    progress(extension).includes("unknown field"),
  );
  assert.match(progress(refused), /^ConfigurationInvalid: .*\n.*unknown field "deploymentConfig"$/);
});
