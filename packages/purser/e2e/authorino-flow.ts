import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterExtensions } from "../src/apis/olm-resources.ts";
import type { Flow } from "./flows.ts";
import { extension, extensionAt, extensionSays, namespace } from "./flow-steps.ts";

const versions = ["0.14.0", "0.15.0", "0.15.1", "0.16.0"];

/** A catalog with authorino-operator alone, one edge from each version to the next. */
function writeCatalog(directory: string): void {
  const bundle = (version: string): string => `authorino-operator.v${version}`;
  const blobs: readonly object[] = [
    { schema: "olm.package", name: "authorino-operator", defaultChannel: "stable" },
    {
      schema: "olm.channel",
      package: "authorino-operator",
      name: "stable",
      entries: versions.map((version, index) => ({
        name: bundle(version),
        ...(index === 0 ? {} : { replaces: bundle(versions[index - 1] ?? "") }),
      })),
    },
    ...versions.map((version) => ({
      schema: "olm.bundle",
      package: "authorino-operator",
      name: bundle(version),
      image: `local.purser.dev/bundles/authorino-operator:${version}`,
      properties: [{ type: "olm.package", value: { packageName: "authorino-operator", version } }],
    })),
  ];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "catalog.json"), blobs.map((blob) => JSON.stringify(blob)).join("\n"));
}

/** An extension without webhooks: it climbs two edges, and the third is refused because it would break stored objects. */
export function authorinoFlow(directory: string): Flow {
  writeCatalog(directory);
  return {
    name: "v1: authorino goes 0.14.0, 0.15.0, 0.15.1; 0.16.0 is refused by CRD upgrade safety and 0.15.1 stays",
    namespaces: ["authorino"],
    extensions: ["authorino-operator"],
    catalogs: { authorino: directory },
    async run(driver) {
      await driver.apply(
        namespace("authorino") +
          extension("authorino-operator", "authorino", {
            version: "0.14.0",
            selector: { matchLabels: { "olm.operatorframework.io/metadata.name": "authorino" } },
          }),
      );
      await extensionAt(driver, "authorino-operator", "0.14.0");
      const move = (version: string): Promise<void> =>
        driver.merge(clusterExtensions, { name: "authorino-operator" }, { spec: { source: { catalog: { version } } } });
      await move("0.15.0");
      await extensionAt(driver, "authorino-operator", "0.15.0");
      await move("0.15.1");
      await extensionAt(driver, "authorino-operator", "0.15.1");
      await move("0.16.0");
      await extensionSays(driver, "authorino-operator", /validating upgrade for CRD/);
      assert.equal(
        (await driver.get(clusterExtensions, { name: "authorino-operator" }))?.status?.install?.bundle.version,
        "0.15.1",
      );
    },
  };
}
