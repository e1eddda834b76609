import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlobId, BundleSummary, PackageSummary } from "../catalog/catalog-index.ts";
import type { BundleName, ChannelName, PackageName } from "../catalog/names.ts";
import type { Installed } from "./standing.ts";
import { standingOf } from "./standing.ts";

const bundle = (version: string, channel: string, isChannelHead: boolean): BundleSummary => ({
  package: "app" as PackageName,
  channel: channel as ChannelName,
  name: `app.v${version}` as BundleName,
  image: "",
  version,
  skips: [],
  properties: [],
  provides: [],
  requires: [],
  isChannelHead,
  blob: 0 as BlobId,
});
const content: PackageSummary = {
  name: "app" as PackageName,
  defaultChannel: "stable" as ChannelName,
  channels: [
    { name: "next" as ChannelName, bundles: [bundle("2.0.0", "next", true)] },
    { name: "stable" as ChannelName, bundles: [bundle("1.0.0", "stable", false), bundle("1.1.0", "stable", true)] },
  ],
  blobs: [],
};
const at = (version: string, more: Partial<Installed> = {}): ReturnType<typeof standingOf> =>
  standingOf({
    api: "v0",
    reference: "sub/ns/my",
    bundle: `app.v${version}`,
    version,
    catalog: "olm/cat",
    content,
    channels: ["stable"],
    ...more,
  });

const cases: readonly (readonly [sentence: string, got: ReturnType<typeof at>, kind: string, said: RegExp])[] = [
  [
    "the head is reported with its channel",
    at("1.1.0"),
    "head",
    /version 1\.1\.0: the head of channel stable of package app/,
  ],
  [
    "an older bundle is behind",
    at("1.0.0"),
    "behind",
    /channel stable of package app in catalog olm\/cat has app\.v1\.1\.0/,
  ],
  [
    "a bundle in no channel is reported as removed from the catalog",
    at("0.9.0"),
    "missing",
    /no longer has it.*replaces or skips, or whose skipRange holds 0\.9\.0/,
  ],
  [
    "a bundle of another channel is named with it",
    at("2.0.0"),
    "missing",
    /channel stable .*does not have it; channel next does/,
  ],
  ["without channels all of them count", at("2.0.0", { channels: [] }), "head", /the head of channel next/],
];
for (const [sentence, { kind, text }, wanted, said] of cases)
  test(sentence, () => {
    assert.equal(kind, wanted);
    assert.match(text, said);
  });

test("the head of a channel points at what another channel has", () => {
  assert.deepEqual(at("1.1.0").remedies, [
    { summary: "channel next has app.v2.0.0", command: "purser explain sub/ns/my --why app.v2.0.0" },
  ]);
});
