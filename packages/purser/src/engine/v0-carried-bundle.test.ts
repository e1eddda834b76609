// Bundles without an image: the catalog itself contains the manifests that OLM v0 installs.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { configMaps } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { clusterServiceVersions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
  await writeFile(
    join(world.catalogDirectory, "carried.yaml"),
    [...carried("objects"), ...carried("metadata")].join("\n---\n"),
  );
});
after(() => world.stop());

const installModes = ["OwnNamespace", "SingleNamespace", "AllNamespaces"].map((type) => ({ type, supported: true }));

/** A package whose bundle contains a ConfigMap, and a CSV as an object or as metadata. */
function carried(name: "objects" | "metadata"): readonly string[] {
  const csvName = `${name}.v1.0.0`;
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `${name}-config` }, data: { from: name } };
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: csvName },
    spec: {
      displayName: name,
      version: "1.0.0",
      installModes,
      install: { strategy: "deployment", spec: { deployments: [] } },
    },
  };
  const objectProperty = (object: JsonObject): JsonObject => ({
    type: "olm.bundle.object",
    value: { data: Buffer.from(JSON.stringify(object)).toString("base64") },
  });
  const metadata = { type: "olm.csv.metadata", value: { displayName: name, installModes } };
  const blobs: readonly JsonObject[] = [
    { schema: "olm.package", name, defaultChannel: "stable" },
    { schema: "olm.channel", package: name, name: "stable", entries: [{ name: csvName }] },
    {
      schema: "olm.bundle",
      package: name,
      name: csvName,
      properties: [
        { type: "olm.package", value: { packageName: name, version: "1.0.0" } },
        objectProperty(config),
        name === "objects" ? objectProperty(csv) : metadata,
      ],
    },
  ];
  return blobs.map((blob) => JSON.stringify(blob));
}

for (const name of ["objects", "metadata"] as const)
  test(`installs a bundle whose manifests are in the catalog, with its CSV as ${name},`, async () => {
    await world.tenant(name);
    await world.subscribe(name, name);
    const csv = await world.reaches(
      clusterServiceVersions,
      { namespace: name, name: `${name}.v1.0.0` },
      "Succeeded",
      ({ status }) => status?.phase === "Succeeded",
    );
    assert.equal(csv.spec.displayName, name);
    const config = await world.client.get(configMaps, { namespace: name, name: `${name}-config` });
    assert.deepEqual(config?.data, { from: name });
  });
