import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import { admitsBundle } from "./admits-bundle.ts";
import type { ExtensionCatalog } from "./input.ts";

const object = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterCatalog",
  metadata: { name: "c" },
  spec: { source: { type: "Image" } },
} as const;
const blobs = [
  { schema: "olm.package", name: "p", defaultChannel: "stable" },
  { schema: "olm.channel", package: "p", name: "stable", entries: [{ name: "p.1.0.0" }] },
  { schema: "olm.channel", package: "p", name: "fast", entries: [{ name: "p.1.1.0" }] },
  ...["1.0.0", "1.1.0"].map((version) => ({
    schema: "olm.bundle",
    package: "p",
    name: `p.${version}`,
    image: "example.com/p",
    properties: [{ type: "olm.package", value: { packageName: "p", version } }],
  })),
];
const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
const readable: ExtensionCatalog = {
  catalog: object,
  content: { kind: "present", index: indexOf(loadCatalog([{ file: "c.json", text }]).blobs) },
};
const unreadable: ExtensionCatalog = { catalog: object, content: { kind: "unavailable", cause: "" } };

const table: readonly (readonly [string, Partial<CatalogFilter>, readonly ExtensionCatalog[], boolean])[] = [
  ["without version and channel", {}, [], true],
  ["in the range", { version: ">=1.0.0 <2.0.0" }, [], true],
  ["out of the range", { version: "1.1.0" }, [readable], false],
  ["with an unreadable range", { version: "|" }, [readable], true],
  ["in the channel", { channels: ["fast", "stable"] }, [readable], true],
  ["in another channel", { channels: ["fast"] }, [readable], false],
  ["in another channel while a catalog cannot be read", { channels: ["fast"] }, [readable, unreadable], true],
  ["in a channel without any catalog", { channels: ["stable"] }, [], false],
];

for (const [what, filter, catalogs, expected] of table)
  test(`a bundle ${what} is ${expected ? "" : "not "}what is asked for`, () =>
    assert.equal(
      admitsBundle({ packageName: "p", ...filter }, { name: "p.1.0.0", version: "1.0.0" }, catalogs),
      expected,
    ));
