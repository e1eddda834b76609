import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeConfig, decodeManifest, dockerManifest, ociIndex, ociManifest } from "./image-manifest.ts";

const digest = `sha256:${"a".repeat(64)}`;
const descriptor = { mediaType: "m", digest, size: 1 };
const image = { schemaVersion: 2, config: descriptor, layers: [descriptor] };
const index = { schemaVersion: 2, manifests: [descriptor] };

function shown(document: unknown, mediaType: string): string {
  const bytes = typeof document === "string" ? document : JSON.stringify(document);
  const manifest = decodeManifest(Buffer.from(bytes), mediaType);
  if (!manifest.ok) return manifest.problem;
  return manifest.value.kind === "image"
    ? `image of ${manifest.value.layers.length}`
    : `index of ${manifest.value.manifests.length}`;
}

const cases: readonly (readonly [given: string, document: unknown, mediaType: string, shows: RegExp])[] = [
  ["an image", image, ociManifest, /^image of 1$/],
  ["an image of Docker", image, dockerManifest, /^image of 1$/],
  ["an image without layers", { ...image, layers: [] }, ociManifest, /^image of 0$/],
  ["an index", index, ociIndex, /^index of 1$/],
  ["an image under a media type that says nothing", image, "application/json", /^image of 1$/],
  ["an index under a media type that says nothing", index, "", /^index of 1$/],
  ["an index that calls itself an image", { ...index, mediaType: ociManifest }, "", /an index has the media type/],
  ["an index that the registry calls an image", index, dockerManifest, /an index has the media type/],
  ["an image that calls itself an index", { ...image, mediaType: ociIndex }, "", /the index has no manifests/],
  ["an image that is an index as well", { ...image, ...index }, ociManifest, /an image and an index at once/],
  ["a document of Docker schema 1", { schemaVersion: 1, fsLayers: [] }, "", /schema 1, which is no longer supported/],
  ["a page", "<html></html>", ociManifest, /not a JSON object/],
  ["a list", [], ociManifest, /not a JSON object/],
  ["bytes that are not UTF-8", "\ud800", ociManifest, /not a JSON object/],
  ["an empty object", {}, "", /a descriptor is missing/],
  ["layers that are no list", { ...image, layers: {} }, ociManifest, /lists no content/],
  ["a digest that is a path", { ...image, layers: [{ ...descriptor, digest: "../../x" }] }, "", /no SHA-256 digest/],
  ["a digest in upper case", { ...index, manifests: [{ ...descriptor, digest: digest.toUpperCase() }] }, "", /SHA-256/],
  ["another algorithm", { ...image, config: { ...descriptor, digest: `sha512:${"a".repeat(128)}` } }, "", /SHA-256/],
  ["a negative size", { ...image, layers: [{ ...descriptor, size: -1 }] }, "", /no size/],
  ["a fraction as size", { ...image, layers: [{ ...descriptor, size: 1.5 }] }, "", /no size/],
  ["a text as size", { ...image, layers: [{ ...descriptor, size: "1" }] }, "", /no size/],
  ["no media type", { ...image, layers: [{ digest, size: 1 }] }, "", /no media type/],
  ["too many layers", { ...image, layers: Array.from({ length: 10_001 }, () => descriptor) }, "", /more than 10000/],
];

describe("decodeManifest", () => {
  for (const [given, document, mediaType, shows] of cases)
    test(given, () => {
      assert.match(shown(document, mediaType), shows);
    });

  test("keeps platform, annotations and further places of a layer, and leaves out broken ones", () => {
    const full = {
      ...descriptor,
      platform: { os: "linux", architecture: "arm", variant: "v7" },
      annotations: { a: "b", c: 1 },
      urls: ["u", 2],
    };
    const manifest = decodeManifest(
      Buffer.from(JSON.stringify({ manifests: [full, { ...descriptor, platform: { os: 1 } }] })),
      ociIndex,
    );
    assert.ok(manifest.ok && manifest.value.kind === "index");
    assert.deepEqual(manifest.value.manifests, [{ ...full, annotations: { a: "b" }, urls: ["u"] }, descriptor]);
  });
});

describe("decodeConfig", () => {
  const withDiffIds = (diffIds: unknown) => ({ rootfs: { type: "layers", diff_ids: diffIds } });
  const sha512 = `sha512:${"a".repeat(128)}`;
  for (const [given, document, shows] of [
    ["labels", { config: { Labels: { a: "b" } } }, { labels: { a: "b" }, diffIds: undefined }],
    ["no labels", { config: { Labels: null } }, { labels: {}, diffIds: undefined }],
    ["no configuration", { config: null }, { labels: {}, diffIds: undefined }],
    ["an empty artifact configuration", {}, { labels: {}, diffIds: undefined }],
    ["digests of layers", withDiffIds([digest, sha512]), { labels: {}, diffIds: [digest, sha512] }],
    ["no digests of layers", withDiffIds(null), { labels: {}, diffIds: undefined }],
    ["an empty list of digests", withDiffIds([]), { labels: {}, diffIds: [] }],
    ["labels that are no texts", { config: { Labels: { a: 1 } } }, /are not texts/],
    ["labels that are a list", { config: { Labels: [] } }, /are not texts/],
    ["digests of layers that are one text", withDiffIds(digest), /are not SHA-256 or SHA-512 digests/],
    ["a digest that is too short", withDiffIds([digest.slice(1)]), /are not SHA-256 or SHA-512 digests/],
    ["a digest of an unknown algorithm", withDiffIds([`md5:${"a".repeat(32)}`]), /are not SHA-256 or SHA-512 digests/],
    ["something else", "text", /not a JSON object/],
  ] as const)
    test(given, () => {
      const config = decodeConfig(Buffer.from(JSON.stringify(document)));
      if (shows instanceof RegExp) assert.match(config.ok ? "" : config.problem, shows);
      else assert.deepEqual(config.ok && config.value, shows);
    });
});
