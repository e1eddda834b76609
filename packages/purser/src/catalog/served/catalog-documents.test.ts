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
