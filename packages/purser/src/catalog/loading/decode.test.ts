import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { realCatalogs } from "../../../conformance/real-data.ts";
import fc from "fast-check";
import { CatalogModel } from "../catalog-model.ts";
import { base64Problem, fieldOf, type GoShape, list, map, misfit, struct, text } from "../schemas/go-shape.ts";
import { blobsOf, blobsOfChunks } from "./load.ts";
import type { CatalogBlob } from "../model.ts";
import { opmProblem } from "../opm/validate.ts";
import type { CatalogProblem } from "../problem.ts";
import type { Result } from "@purser/kubernetes/result";
import { smallCatalog } from "../testing/small-catalog.ts";
import { validateCatalog } from "../validate.ts";

/** Reads, validates and models: none of it may throw, and every problem of a file names the file. */
function survives(blobs: Iterable<Result<CatalogBlob, CatalogProblem>>): void {
  const read = [...blobs];
  const entries = read.flatMap((blob) => (blob.ok ? [blob.value] : []));
  const problems = read.flatMap((blob) => (blob.ok ? [] : [blob.problem]));
  for (const { place, message } of problems) {
    assert.equal(place?.file, "f");
    assert.ok((place.line ?? 0) >= 1 && message !== "");
  }
  for (const { message } of validateCatalog(entries)) assert.notEqual(message, "");
  assert.ok(new CatalogModel(entries).problems.length >= 0);
  assert.equal(typeof (opmProblem(read) ?? ""), "string");
}

const jsonCatalog = [...blobsOf({ file: "f", text: smallCatalog("foo", ["1.0.0", "1.1.0"]) })]
  .map((blob) => JSON.stringify(blob.ok ? blob.value.json : undefined, null, 2))
  .join("\n");
const texts = [
  smallCatalog("foo", ["1.0.0", "1.1.0", "2.0.0"]),
  jsonCatalog,
  ...realCatalogs.map((directory) => {
    const [name = ""] = readdirSync(directory).filter((entry) => existsSync(join(directory, entry, "catalog.yaml")));
    return readFileSync(join(directory, name, "catalog.yaml"), "utf8").slice(0, 60_000);
  }),
];

test("reading a catalog with a few changed or deleted letters never throws", () => {
  const letters = fc.constantFrom(
    "",
    "{",
    "}",
    "[",
    "]",
    ":",
    "-",
    " ",
    "\n",
    "'",
    '"',
    "|",
    "null",
    "1e9",
    "\u0000",
    "\ud800",
    "&a ",
    "*a",
    "!!int ",
  );
  const change = fc.tuple(fc.nat(), fc.nat(12), letters);
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 4 }), (original, changes) => {
      let changed = original;
      for (const [where, removed, added] of changes) {
        const at = where % (changed.length + 1);
        changed = changed.slice(0, at) + added + changed.slice(at + removed);
      }
      survives(blobsOf({ file: "f", text: changed }, { refuseEmptyDocuments: true }));
    }),
    { numRuns: 300 },
  );
});

test("reading any bytes as a catalog never throws", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .tuple(fc.constantFrom(...texts.slice(0, 2)), fc.nat(), fc.uint8Array({ maxLength: 5 }))
      .map(([whole, where, some]) => {
        const copy = new TextEncoder().encode(whole);
        copy.set(some, where % (copy.length - 5));
        return copy;
      }),
  );
  fc.assert(
    fc.property(bytes, (chunk) => survives(blobsOfChunks({ file: "f", chunks: [chunk] }))),
    { numRuns: 300 },
  );
});

const anyJson = fc.jsonValue({ maxDepth: 4 });
const names = fc.constantFrom("foo", "", "foo.v1.0.0", "__proto__", "constructor", "toString");
const typed = fc.record(
  {
    schema: fc.constantFrom("olm.package", "olm.channel", "olm.bundle", "olm.deprecations", "x"),
    name: fc.oneof(names, anyJson),
    package: fc.oneof(names, anyJson),
    defaultChannel: fc.oneof(names, anyJson),
    image: fc.oneof(names, anyJson),
    entries: fc.oneof(
      anyJson,
      fc.array(
        fc.record(
          {
            name: names,
            replaces: names,
            skips: fc.array(names),
            skipRange: names,
            reference: anyJson,
            message: anyJson,
          },
          { requiredKeys: [] },
        ),
      ),
    ),
    properties: fc.oneof(
      anyJson,
      fc.array(
        fc.record(
          {
            type: fc.constantFrom("olm.package", "olm.gvk", "olm.bundle.object", "olm.csv.metadata", "x"),
            value: anyJson,
          },
          { requiredKeys: [] },
        ),
      ),
    ),
    relatedImages: fc.oneof(anyJson, fc.array(fc.record({ name: names, image: names }))),
  },
  { requiredKeys: ["schema"] },
);

test("blobs of OLM's schemas with fields of any shape never throw", () => {
  fc.assert(
    fc.property(fc.array(typed, { minLength: 1, maxLength: 6 }), (blobs) => {
      survives(blobsOf({ file: "f", text: blobs.map((blob) => JSON.stringify(blob)).join("\n") }));
    }),
    { numRuns: 300 },
  );
});

const shape: GoShape = struct("t.T", { a: text, b: list(text), c: struct("t.C", { d: text }), e: map(text) });

test("the first problem of a value is at the first key in byte order, with the path to it", () => {
  const cases: readonly (readonly [Parameters<typeof misfit>[0], string | undefined])[] = [
    [{ a: "x", b: ["y"], c: { d: "z" }, e: { f: "g" }, unknown: 1 }, undefined],
    [{ a: null, b: [null], c: null, e: null }, undefined],
    [{ A: "x", E: { k: "v" } }, undefined],
    [{ c: { d: 1 }, b: 5 }, "json: cannot unmarshal number into Go struct field T.b of type []string"],
    [{ c: { D: true } }, "json: cannot unmarshal bool into Go struct field C.c.d of type string"],
    [{ b: ["x", {}] }, "json: cannot unmarshal object into Go struct field T.b of type string"],
    [{ e: { z: [], y: 1 } }, "json: cannot unmarshal number into Go struct field T.e.y of type string"],
    [[], "json: cannot unmarshal array into Go value of type t.T"],
    [undefined, "unexpected end of JSON input"],
  ];
  for (const [value, complaint] of cases) assert.equal(misfit(value, shape), complaint, JSON.stringify(value));
});

test("of several spellings of a field the exact one is not preferred: the last one in byte order counts", () => {
  assert.equal(fieldOf({ name: "a", Name: "b" }, "name"), "a");
  assert.equal(fieldOf({ NAME: "a", Name: "b" }, "name"), "b");
  assert.equal(fieldOf({ nAME: "a" }, "name"), "a");
  assert.equal(fieldOf({}, "constructor"), undefined);
});

test("base64 is accepted and refused as by Go's standard encoding", () => {
  const good = ["", "YQ==", "YWI=", "YWJj", "YW\nJj\r\n", "+/+/"];
  const bad: readonly (readonly [string, number])[] = [
    ["YQ=", 3],
    ["YQ", 0],
    ["YWJjYQ", 4],
    ["YW\nJ", 1],
    ["Y Q=", 1],
    ["YQ==YQ==", 4],
    ["YWI=YQ==", 4],
    ["-_-_", 0],
    ["=", 0],
    ["YQ=a", 2],
    ["YQ=\n", 4],
  ];
  for (const encoded of good) assert.equal(base64Problem(encoded), undefined, encoded);
  for (const [encoded, byte] of bad)
    assert.equal(base64Problem(encoded), `illegal base64 data at input byte ${byte}`, encoded);
});
