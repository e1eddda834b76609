import type { JsonValue } from "@purser/kubernetes/json";

const provides = {
  type: "olm.gvk",
  value: { group: "etcd.database.coreos.com", version: "v1beta2", kind: "EtcdBackup" },
};
const encoded = (object: JsonValue): string => Buffer.from(JSON.stringify(object)).toString("base64");
const csv = (name: string): JsonValue => ({ kind: "ClusterServiceVersion", metadata: { name } });

function bundle(version: string, packageName = "etcd", more: readonly JsonValue[] = [], image = ""): JsonValue {
  const name = `etcdoperator.v${version}`;
  const embedded = [csv(name), { kind: "CustomResourceDefinition" }].map((object) => ({
    type: "olm.bundle.object",
    value: { data: encoded(object) },
  }));
  return {
    schema: "olm.bundle",
    name,
    package: packageName,
    ...(image === "" ? {} : { image }),
    properties: [
      { type: "olm.package", value: { packageName, version: version.replace(/-clusterwide$/, "+clusterwide") } },
      provides,
      ...more,
      ...embedded,
    ],
  };
}

const name = (version: string): string => `etcdoperator.v${version}`;

/** The etcd package with two upgrade paths, one with synthetic skips, and packages for cases that etcd does not cover. */
export const etcdCatalog: readonly JsonValue[] = [
  { schema: "olm.package", name: "etcd", defaultChannel: "singlenamespace-alpha" },
  {
    schema: "olm.channel",
    name: "singlenamespace-alpha",
    package: "etcd",
    entries: [
      { name: name("0.9.4"), replaces: name("0.9.2") },
      { name: name("0.9.2"), replaces: name("0.9.0"), skips: [name("0.9.1")] },
      { name: name("0.9.0") },
    ],
  },
  {
    schema: "olm.channel",
    name: "clusterwide-alpha",
    package: "etcd",
    entries: [
      { name: name("0.9.4-clusterwide"), replaces: name("0.9.2-clusterwide") },
      {
        name: name("0.9.2-clusterwide"),
        replaces: name("0.9.0"),
        skips: [name("0.6.1"), name("0.9.0")],
      },
      { name: name("0.9.0") },
    ],
  },
  bundle("0.9.0"),
  bundle("0.9.2", "etcd", [
    { type: "olm.package.required", value: { packageName: "cockroachdb", versionRange: ">=5.0.0 <6" } },
    { type: "olm.gvk.required", value: { group: "testapi.coreos.com", version: "v1", kind: "testapi" } },
  ]),
  bundle("0.9.2-clusterwide"),
  bundle("0.9.4", "etcd", [], "registry.example.com/etcd:v0.9.4"),
  bundle("0.9.4-clusterwide"),
  { schema: "olm.package", name: "cockroachdb", defaultChannel: "stable-v6.x", description: "a <database>" },
  ...["stable-5.x", "stable-v6.x"].map((channel, index) => ({
    schema: "olm.channel",
    name: channel,
    package: "cockroachdb",
    entries: [{ name: `cockroachdb.v${index + 5}.0.0` }],
  })),
  ...[5, 6].map((major) => ({
    schema: "olm.bundle",
    name: `cockroachdb.v${major}.0.0`,
    package: "cockroachdb",
    image: `registry.example.com/cockroachdb:v${major}`,
    properties: [
      { type: "olm.package", value: { packageName: "cockroachdb", version: `${major}.0.0` } },
      ...(major === 6
        ? [{ type: "olm.csv.metadata", value: { displayName: "Cockroach", annotations: { a: "<b>" } } }]
        : []),
    ],
    relatedImages: [{ name: "db", image: "registry.example.com/db:1" }],
  })),
  {
    schema: "olm.deprecations",
    package: "cockroachdb",
    entries: [
      { reference: { schema: "olm.package" }, message: "the package is deprecated" },
      { reference: { schema: "olm.channel", name: "stable-5.x" }, message: "the channel is deprecated" },
      { reference: { schema: "olm.bundle", name: "cockroachdb.v5.0.0" }, message: "the bundle is deprecated" },
    ],
  },
  { schema: "acme.note", package: "etcd", name: "one", size: 2 ** 53, list: [1, "x", null, { deep: true }] },
  { schema: "acme.note", package: "etcd", name: "two" },
  { schema: "acme.note", package: "cockroachdb", name: "three" },
  { schema: "acme.note", name: "free" },
];
