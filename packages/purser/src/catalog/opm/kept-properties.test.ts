import assert from "node:assert/strict";
import { test } from "node:test";
import { blobsOfChunks } from "../loading/load.ts";
import { opmRender } from "./render.ts";
import type { RenderSource } from "./read-sources.ts";

const metadata = { type: "olm.csv.metadata", value: { annotations: { a: "<1>" }, displayName: "É" } };
const identity = { type: "olm.package", value: { packageName: "p", version: "1.0.0" } };
const object = { type: "olm.bundle.object", value: { data: "e30=" } };
const bundle = { image: "i", name: "p.v1", package: "p", properties: [metadata, identity], schema: "olm.bundle" };
const document = (value: unknown, indent = 4): string => `${JSON.stringify(value, undefined, indent)}\n`;

/** How many of the blobs kept items. */
interface Reading {
  readonly source: RenderSource;
  kept: number;
}

function reading(text: string, mayKeep: boolean): Reading {
  const state: Reading = {
    kept: 0,
    source: {
      reference: "catalog",
      *read(keepProperties = false) {
        const chunks = [new TextEncoder().encode(text)];
        for (const blob of blobsOfChunks({ file: "c.json", chunks }, { keepProperties: keepProperties && mayKeep })) {
          if (blob.ok && blob.value.kept !== undefined) state.kept++;
          yield blob;
        }
      },
    },
  };
  return state;
}

const catalogs: Readonly<Record<string, readonly [text: string, kept: number]>> = {
  "a bundle": [document(bundle), 1],
  "two in one bundle": [document({ ...bundle, properties: [metadata, metadata] }), 1],
  "metadata between others": [document({ ...bundle, properties: [identity, metadata, identity] }), 1],
  "objects between others": [document({ ...bundle, properties: [object, identity, object, metadata, identity] }), 1],
  "an object alone": [document({ ...bundle, properties: [object] }), 0],
  "an object that is no base64": [
    document({ ...bundle, properties: [identity, { type: "olm.bundle.object", value: { data: "?" } }] }),
    0,
  ],
  "a scalar": [document({ ...bundle, properties: [identity, { type: "olm.maxOpenShiftVersion", value: "4.16" }] }), 1],
  "a list": [document({ ...bundle, properties: [{ type: "t", value: [1] }] }), 0],
  "a property that does not fit its type": [document({ ...bundle, properties: [{ type: "olm.gvk", value: 1 }] }), 1],
  "a null in place of a property": [document({ ...bundle, properties: [identity, null, metadata] }), 1],
  "a blob of another schema": [document({ schema: "x", properties: [metadata] }), 1],
  "a list that its schema does not have": [document({ schema: "olm.package", name: "p", properties: [metadata] }), 1],
  "a property twice": [document({ ...bundle, Properties: [] }), 0],
  "a string like the place of a value": [
    document({ ...bundle, properties: [metadata, { type: "t", value: "kept items 0" }, object] }),
    1,
  ],
  "a lone surrogate beside it": [
    document({ ...bundle, properties: [metadata, { type: "t", value: "x" }] }).replace('"x"', String.raw`"\ud800"`),
    1,
  ],
  "a bundle that is refused": [document({ ...bundle, image: 1 }), 0],
  "a blob without a schema": [document({ name: "x", properties: [metadata] }), 0],
  "a number that looks like a key": [document({ schema: "x", 1: 2, properties: [metadata] }), 1],
  "an outer object": [`{"schema":"x","a":{"b":${document({ properties: [metadata] })}}}`, 0],
  "a layout with two spaces": [document(bundle, 2), 0],
};

test("properties that stay bytes are rendered as if they had been read", () => {
  for (const [name, [text, kept]] of Object.entries(catalogs)) {
    for (const format of ["json", "yaml"] as const) {
      const [read, whole] = [reading(text, true), reading(text, false)];
      assert.deepEqual(opmRender([read.source], format, "none"), opmRender([whole.source], format, "none"), name);
      assert.equal(read.kept, format === "json" ? kept : 0, `${name}, ${format}`);
    }
  }
});

test("bundles that are migrated are read whole", () => {
  const read = reading(document(bundle), true);
  assert.equal(opmRender([read.source], "json", "all").exit, 0);
  assert.equal(read.kept, 0);
});
