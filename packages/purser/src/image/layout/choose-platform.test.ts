import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Descriptor } from "../image-source.ts";
import { choosePlatform, imageArchitecture } from "./choose-platform.ts";

/** `linux/arm64/v8`; `-` for an entry without a platform. Its place is its digest. */
function index(platforms: string): readonly Descriptor[] {
  return platforms
    .split(" ")
    .filter(Boolean)
    .map((text, place) => {
      const [os = "", architecture = "", variant] = text.split("/");
      const platform = { os, architecture, ...(variant === undefined ? {} : { variant }) };
      return { mediaType: "m", digest: `sha256:${place}`, size: 1, ...(text === "-" ? {} : { platform }) };
    });
}

const cases: readonly (readonly [rule: string, platforms: string, architecture: string, place: number | RegExp])[] = [
  ["the architecture counts", "linux/amd64 linux/arm64", "arm64", 1],
  ["other systems are passed over", "windows/amd64 linux/amd64", "amd64", 1],
  ["the first of two equal entries counts", "linux/amd64 linux/amd64", "amd64", 0],
  ["without a variant before with one", "linux/arm64/v9 linux/arm64", "arm64", 1],
  ["the usual variant before another", "linux/arm64/v9 linux/arm64/v8", "arm64", 1],
  ["any variant before none at all", "linux/arm/v7 -", "arm", 0],
  ["an entry without a platform does", "linux/s390x -", "amd64", 1],
  ["a platform counts more than none", "- linux/amd64", "amd64", 1],
  ["attestations are passed over", "unknown/unknown", "amd64", /which has none/],
  ["the platforms are listed", "linux/s390x windows/amd64", "arm64", /linux\/arm64.*linux\/s390x, windows\/amd64/],
  ["an empty index", "", "amd64", /which has none/],
];

describe("choosePlatform", () => {
  for (const [rule, platforms, architecture, place] of cases)
    test(rule, () => {
      const chosen = choosePlatform(index(platforms), architecture);
      if (place instanceof RegExp) assert.match(chosen.ok ? "" : chosen.problem, place);
      else assert.equal(chosen.ok && chosen.value.digest, `sha256:${place}`);
    });

  test("Node's names of architectures become those of images", () => {
    assert.deepEqual(["x64", "arm64", "ppc64", "s390x", "ia32"].map(imageArchitecture), [
      "amd64",
      "arm64",
      "ppc64le",
      "s390x",
      "386",
    ]);
  });
});
