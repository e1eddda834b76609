import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { CatalogDocuments } from "./catalog-documents.ts";
import type { ServedBundle } from "./served-content.ts";

const bundle = (change: Partial<ServedBundle> = {}): ServedBundle => ({
  name: "kiln.v1",
  packageName: "kiln",
  channel: "stable",
  image: "example.com/kiln:1",
  version: "1.0.0",
  replaces: "",
  skips: [],
  skipRange: "",
  csvJson: "",
  objects: [],
  properties: [],
  dependencies: [],
  provides: [],
  requires: [],
  ...change,
});

function documentsOf(...served: readonly ServedBundle[]): readonly JsonObject[] {
  const documents = new CatalogDocuments();
  const bundles = served.map((each) => documents.bundle(each)).filter((document) => document !== undefined);
  return [...bundles, ...documents.package({ name: "kiln", defaultChannel: "stable", channels: [] })];
}

const entriesOf = (served: ServedBundle): unknown =>
  documentsOf(served).find(({ schema }) => schema === "olm.channel")?.["entries"];

test("an entry states only what is not empty", () => {
  assert.deepEqual(entriesOf(bundle()), [{ name: "kiln.v1" }]);
  assert.deepEqual(entriesOf(bundle({ skips: ["", ""] })), [{ name: "kiln.v1" }]);
  assert.deepEqual(entriesOf(bundle({ replaces: "kiln.v0", skips: ["", "kiln.v0.5"], skipRange: "<1.0.0" })), [
    { name: "kiln.v1", replaces: "kiln.v0", skips: ["kiln.v0.5"], skipRange: "<1.0.0" },
  ]);
});

test("a bundle in two channels is one document, and an entry in both", () => {
  const documents = documentsOf(bundle(), bundle({ channel: "fast" }));
  assert.deepEqual(
    documents.map(({ schema, name }) => [schema, name]),
    [
      ["olm.bundle", "kiln.v1"],
      ["olm.package", "kiln"],
      ["olm.channel", "fast"],
      ["olm.channel", "stable"],
    ],
  );
});

/** The manifests in the bundle's document, decoded. */
function manifestsOf(served: ServedBundle): readonly string[] {
  const [document] = documentsOf(served);
  const properties = document?.["properties"] as unknown as readonly { type: string; value: { data: string } }[];
  return properties
    .filter(({ type }) => type === "olm.bundle.object")
    .map(({ value }) => Buffer.from(value.data, "base64").toString());
}

const csv = '{"kind":"ClusterServiceVersion","metadata":{"name":"kiln.v1"}}';
const named = '{"kind":"ConfigMap","data":{"about":"ClusterServiceVersion"}}';

test("the ClusterServiceVersion of a bundle without an image goes before its manifests unless it is among them", () => {
  const other = '{"kind":"ConfigMap"}';
  const spaced = '{"kind": "ClusterServiceVersion"}';
  for (const [objects, expected] of [
    [[other], [csv, other]],
    [
      [other, csv],
      [other, csv],
    ],
    [
      [spaced, other],
      [spaced, other],
    ],
    // It mentions the kind and is of another one.
    [[named], [csv, named]],
  ] as const)
    assert.deepEqual(manifestsOf(bundle({ image: "", csvJson: csv, objects })), expected);
});

test("of a bundle that is an image only the ClusterServiceVersion of a channel's head is shown", () => {
  assert.deepEqual(manifestsOf(bundle({ csvJson: csv, objects: [csv] })), []);
  assert.deepEqual(manifestsOf(bundle({ headCsv: csv })), [csv]);
});

test("a package without a bundle has no documents", () => {
  assert.deepEqual([...new CatalogDocuments().package({ name: "kiln", defaultChannel: "", channels: [] })], []);
});

test("a bundle with neither an image nor a ClusterServiceVersion has its manifests alone", () => {
  assert.deepEqual(manifestsOf(bundle({ image: "", objects: [named] })), [named]);
});

test("of a bundle with an image only the ClusterServiceVersion at the head of a channel is kept", () => {
  assert.deepEqual(manifestsOf(bundle({ objects: [named], csvJson: csv })), []);
  assert.deepEqual(manifestsOf(bundle({ objects: [named], headCsv: csv })), [csv]);
});

test("a bundle's document states its properties once each, translated dependencies, and APIs where a registry states nothing else", () => {
  const api = (kind: string) => ({ group: "kiln.io", version: "v1", kind });
  const texts = (...items: readonly (readonly [type: string, value: unknown])[]) =>
    items.map(([type, value]) => ({ type, value: typeof value === "string" ? value : JSON.stringify(value) }));
  const propertiesOf = (change: Partial<ServedBundle>): readonly string[] => {
    const [document] = documentsOf(bundle(change));
    const properties = (document ?? {})["properties"] as unknown as readonly {
      readonly type: string;
      readonly value: unknown;
    }[];
    return properties.map(({ type, value }) => `${type} ${JSON.stringify(value)}`);
  };
  const apis = { provides: [api("Pot")], requires: [api("Clay")] };
  assert.deepEqual(propertiesOf(apis), [
    'olm.package {"packageName":"kiln","version":"1.0.0"}',
    'olm.gvk {"group":"kiln.io","kind":"Pot","version":"v1"}',
    'olm.gvk.required {"group":"kiln.io","kind":"Clay","version":"v1"}',
  ]);
  const own = texts(
    ["olm.package", { packageName: "other", version: "9" }],
    ["olm.package", { packageName: "kiln", version: "1.0.1" }],
    ["a", { y: 1, x: 2 }],
    ["a", { x: 2, y: 1 }],
    ["b", "[broken"],
    ["olm.bundle.object", { data: "" }],
  );
  assert.deepEqual(propertiesOf({ ...apis, properties: own }), [
    'olm.package {"packageName":"kiln","version":"1.0.1"}',
    'a {"y":1,"x":2}',
    'olm.gvk.required {"group":"kiln.io","kind":"Clay","version":"v1"}',
  ]);
  const dependencies = texts(
    ["olm.gvk", api("Clay")],
    ["olm.package", { packageName: "clay", version: ">1.0.0" }],
    ["olm.label", { label: "l" }],
    ["olm.constraint", { all: {} }],
    ["unknown", {}],
    ["olm.gvk", "text"],
  );
  assert.deepEqual(propertiesOf({ ...apis, dependencies }), [
    'olm.package {"packageName":"kiln","version":"1.0.0"}',
    'olm.gvk {"group":"kiln.io","kind":"Pot","version":"v1"}',
    'olm.gvk.required {"group":"kiln.io","kind":"Clay","version":"v1"}',
    'olm.package.required {"packageName":"clay","versionRange":">1.0.0"}',
    'olm.label.required {"label":"l"}',
    'olm.constraint {"all":{}}',
    'olm.gvk.required {"group":"","kind":"","version":""}',
  ]);
});

test("deprecations name the package, its channels that have bundles, and bundles by name; an empty message states nothing", () => {
  const documents = new CatalogDocuments();
  for (const [name, channel, deprecation] of [
    ["kiln.v2", "stable", "2 is old"],
    ["kiln.v1", "stable", "1 is old"],
    ["kiln.v3", "fast", ""],
    ["kiln.v4", "fast", undefined],
  ] as const)
    documents.bundle(bundle({ name, channel, ...(deprecation === undefined ? {} : { deprecation }) }));
  const channels = [
    { name: "stable", deprecation: "stable is old" },
    { name: "fast" },
    { name: "empty", deprecation: "empty is old" },
  ];
  const entriesFor = (deprecation: string | undefined) =>
    [
      ...documents.package({
        name: "kiln",
        defaultChannel: "stable",
        channels,
        ...(deprecation === undefined ? {} : { deprecation }),
      }),
    ].at(-1);
  assert.deepEqual(entriesFor("kiln is old"), {
    schema: "olm.deprecations",
    package: "kiln",
    entries: [
      { reference: { schema: "olm.package" }, message: "kiln is old" },
      { reference: { schema: "olm.channel", name: "stable" }, message: "stable is old" },
      { reference: { schema: "olm.bundle", name: "kiln.v1" }, message: "1 is old" },
      { reference: { schema: "olm.bundle", name: "kiln.v2" }, message: "2 is old" },
    ],
  });
  assert.deepEqual(((entriesFor("") ?? {})["entries"] as readonly unknown[]).length, 3);
  const plain = new CatalogDocuments();
  plain.bundle(bundle());
  assert.deepEqual(
    [...plain.package({ name: "kiln", defaultChannel: "stable", channels: [] })].map(({ schema }) => schema),
    ["olm.package", "olm.channel"],
  );
  assert.deepEqual([...plain.package({ name: "clay", defaultChannel: "stable", channels: [] })], []);
});
