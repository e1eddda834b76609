import assert from "node:assert/strict";
import { test } from "node:test";
import { manifestMediaType } from "./manifest-media-type.ts";

const oci = "application/vnd.oci.image";
const docker = "application/vnd.docker.distribution.manifest";
const [ociImage, ociIndex] = [`${oci}.manifest.v1+json`, `${oci}.index.v1+json`];
const [dockerImage, dockerList] = [`${docker}.v2+json`, `${docker}.list.v2+json`];
const [image, index] = [{ config: {}, layers: [] }, { manifests: [] }];

const accepted: readonly (readonly [manifest: object, sentAs: string | undefined, mediaType: string])[] = [
  [image, undefined, ociImage],
  [index, undefined, ociIndex],
  [{ config: {} }, "", ociImage],
  [{ layers: [] }, "application/json", ociImage],
  [index, "application/octet-stream", ociIndex],
  [index, "text/plain; charset=utf-8", ociIndex],
  [image, dockerImage, dockerImage],
  [index, `${dockerList.toUpperCase()} ; q=1`, dockerList],
  [{ mediaType: dockerImage, schemaVersion: 2, ...image }, dockerImage, dockerImage],
  [{ mediaType: dockerList, ...index }, "application/json", dockerList],
  [{ mediaType: ociIndex, ...index }, undefined, ociIndex],
];
for (const [manifest, sentAs, mediaType] of accepted)
  test(`${JSON.stringify(manifest)} that was sent as ${sentAs} is ${mediaType}`, () =>
    assert.deepEqual(manifestMediaType(Buffer.from(JSON.stringify(manifest)), sentAs), { ok: true, value: mediaType }));

const unknown = "has a media type that is neither that of an image nor that of an index";
const refused: readonly (readonly [text: string | object, sentAs: string | undefined, problem: string])[] = [
  ["<html>", "text/html; charset=utf-8", "is a web page, not a manifest"],
  ["<html>", "text/plain", "is not JSON"],
  ["", undefined, "is not JSON"],
  ["null", undefined, "is not a JSON object"],
  ["[]", undefined, "is not a JSON object"],
  ["1", undefined, "is not a JSON object"],
  [
    { schemaVersion: 1, ...image },
    undefined,
    "is a Docker manifest of schema 1, which is not supported; push the image again",
  ],
  [{ mediaType: "application/json", ...image }, undefined, unknown],
  [{ mediaType: 5, ...image }, undefined, unknown],
  [{ mediaType: "", ...image }, undefined, unknown],
  [{ ...image, ...index }, undefined, "is an image and an index at the same time"],
  [{ layers: [], ...index }, undefined, "is an image and an index at the same time"],
  [{}, undefined, "is neither an image nor an index"],
  [{ mediaType: dockerImage, ...image }, ociImage, `says ${dockerImage} and was sent as ${ociImage}`],
  [{ mediaType: ociImage, ...image }, "image/png", `says ${ociImage} and was sent as image/png`],
  [image, "image/png", "was sent as image/png"],
  [image, ociIndex, `has the media type ${ociIndex} and other content`],
  [{ mediaType: ociImage, ...index }, undefined, `has the media type ${ociImage} and other content`],
];
for (const [text, sentAs, problem] of refused)
  test(`${JSON.stringify(text)} that was sent as ${sentAs} is refused: ${problem}`, () => {
    const bytes = Buffer.from(typeof text === "string" ? text : JSON.stringify(text));
    assert.deepEqual(manifestMediaType(bytes, sentAs), { ok: false, problem });
  });

test("bytes that are no UTF-8 are refused", () =>
  assert.deepEqual(manifestMediaType(Buffer.of(0x22, 0xff, 0x22), undefined), { ok: false, problem: "is not JSON" }));
