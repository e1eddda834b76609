import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { catalogLocation } from "./catalog-location.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-location-"));
mkdirSync(join(directory, "layout"));
after(() => rmSync(directory, { recursive: true }));

const digest = `sha256:${"a".repeat(64)}`;
const found: readonly (readonly [text: string, location: object])[] = [
  [join(directory, "layout"), { path: join(directory, "layout") }],
  [`oci:${directory}/layout`, { path: `oci:${directory}/layout` }],
  [`oci-archive:${directory}/layout:v1`, { path: `oci-archive:${directory}/layout:v1` }],
  [
    `docker-archive:${directory}/layout:example.com/a:v1`,
    { path: `docker-archive:${directory}/layout:example.com/a:v1` },
  ],
  ["example.com/catalog:v1", { image: "example.com/catalog:v1" }],
  ["docker://localhost/catalog:v1", { image: "localhost/catalog:v1" }],
  ["127.0.0.1:5000/a/b:v1", { image: "127.0.0.1:5000/a/b:v1" }],
  [`example.com/a@${digest}`, { image: `example.com/a@${digest}` }],
];
for (const [text, location] of found)
  test(`${text.replace(directory, "DIRECTORY")} is found`, () =>
    assert.deepEqual(catalogLocation(text), { ok: true, value: location }));

const refused: readonly (readonly [text: string, problem: RegExp])[] = [
  ["./missing", /does not exist, and is not an image reference/],
  ["catalog:v1", /does not exist, and is not an image reference/],
  ["example.com/catalog", /neither a tag nor a digest; write example.com\/catalog:TAG/],
  ["docker://catalog:v1", /not an image reference: it names no registry/],
  ["docker://Example.com/Catalog:v1", /not an image reference: invalid reference format/],
  ["oci:/missing/folder:v1", /"\/missing\/folder" does not exist/],
];
for (const [text, problem] of refused)
  test(`${text} is refused with the reason`, () => {
    const location = catalogLocation(text);
    assert.match(location.ok ? "" : location.problem, problem);
  });
