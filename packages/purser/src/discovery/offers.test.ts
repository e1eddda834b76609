import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBlob } from "../catalog/loading/decode.ts";
import { indexOf } from "../catalog/memory-index.ts";
import { documentsOf } from "@purser/kubernetes/text/documents";
import {
  deprecationOf,
  filterPackages,
  type InstalledPackage,
  latestVersion,
  newerVersion,
  offeredPackages,
  type PackageFilter,
  type PackageSource,
} from "./offers.ts";

function source(
  name: string,
  priority: number,
  packages: readonly string[],
  references = [`olm/${name}`],
): PackageSource {
  const blobs = packages.flatMap((own) => [
    { schema: "olm.package", name: own, defaultChannel: "stable", description: "A store." },
    { schema: "olm.channel", name: "fast", package: own, entries: [{ name: `${own}.v2` }] },
    { schema: "olm.channel", name: "stable", package: own, entries: [{ name: `${own}.v1` }] },
    ...["1", "2"].map((major) => ({
      schema: "olm.bundle",
      name: `${own}.v${major}`,
      package: own,
      image: "registry.example/image",
      properties: [
        { type: "olm.package", value: { packageName: own, version: `${major}.0.0` } },
        { type: "olm.gvk", value: { group: "g", version: "v1", kind: "Store" } },
        {
          type: "olm.csv.metadata",
          value: {
            displayName: `The ${own}`,
            provider: { name: "Acme Corp" },
            annotations: { capabilities: "Deep Insights" },
          },
        },
      ],
    })),
    ...(own === "old"
      ? [
          {
            schema: "olm.deprecations",
            package: own,
            entries: [{ reference: { schema: "olm.channel", name: "stable" }, message: "use fast" }],
          },
        ]
      : []),
  ]);
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  const decoded = [...documentsOf(text, { file: "catalog.json" })].flatMap((document) => {
    const blob = document.ok ? decodeBlob(document.value) : document;
    return blob.ok ? [blob.value] : assert.fail("the catalog can be read");
  });
  return { name, references, priority, index: indexOf(decoded) };
}

const installed: InstalledPackage = {
  reference: "sub/data/etcd",
  packageName: "etcd",
  namespace: "data",
  name: "etcd",
  version: "1.0.0",
  channels: [],
  api: "v0",
};
const sources = [source("b", 0, ["etcd", "old"]), source("a", 0, ["etcd"]), source("first", 5, ["etcd"])];
const packages = offeredPackages(sources, [installed]);
const namesOf = (filter: PackageFilter): readonly string[] =>
  filterPackages(packages, filter).map(
    ({ name, offers }) => `${name} ${offers.map(({ source: { name: own } }) => own).join("+")}`,
  );

test("a package of several sources is one, offered by the highest priority first, then by name", () => {
  assert.deepEqual(namesOf({}), ["etcd first+a+b", "old b"]);
  assert.deepEqual(
    packages.map((one) => one.installed.length),
    [1, 0],
  );
});

const filters: readonly (readonly [filter: PackageFilter, finds: readonly string[]])[] = [
  [{ source: "a" }, ["etcd a"]],
  [{ source: "olm/b" }, ["etcd b", "old b"]],
  [{ source: "olm" }, []],
  [{ kind: "store" }, ["etcd first+a+b", "old b"]],
  [{ kind: "Stor" }, []],
  [{ provider: "acme" }, ["etcd first+a+b", "old b"]],
  [{ provider: "other" }, []],
  [{ capability: "deep insights" }, ["etcd first+a+b", "old b"]],
  [{ capability: "Deep" }, []],
  [{ isDeprecated: true }, ["old b"]],
  [{ isInstalled: true }, ["etcd first+a+b"]],
  [{ isInstalled: true, source: "b" }, ["etcd b"]],
];
for (const [filter, finds] of filters)
  test(`the filter ${JSON.stringify(filter)} keeps ${finds.join(", ") || "nothing"}`, () =>
    assert.deepEqual(namesOf(filter), finds));

test("latest is the head of the default channel, whose deprecation counts for the package", () => {
  const [etcd, old] = packages.map(({ offers: [{ facts }] }) => facts);
  assert.ok(etcd !== undefined && old !== undefined);
  assert.deepEqual([latestVersion(etcd), deprecationOf(etcd), deprecationOf(old)], ["1.0.0", undefined, "use fast"]);
  assert.equal(etcd.displayName, "The etcd");
  assert.equal(etcd.description, "A store.");
});

const newer: readonly (readonly [says: string, one: Partial<InstalledPackage>, version: string | undefined])[] = [
  ["a Subscription without a channel follows the default one", {}, undefined],
  ["a Subscription follows its channel", { channels: ["fast"] }, "2.0.0"],
  ["a ClusterExtension without channels follows all", { api: "v1" }, "2.0.0"],
  ["a ClusterExtension with channels follows these", { api: "v1", channels: ["stable"] }, undefined],
  ["an older version is behind", { version: "0.9.0" }, "1.0.0"],
  ["a version above the head is not", { channels: ["fast"], version: "2.0.1" }, undefined],
  ["without an installed version nothing is newer", { channels: ["fast"], version: "" }, undefined],
];
for (const [says, one, version] of newer)
  test(`newer versions: ${says}`, () => {
    const [{ offers: [{ facts }] } = assert.fail()] = packages;
    assert.equal(newerVersion({ ...installed, ...one }, facts), version);
  });
