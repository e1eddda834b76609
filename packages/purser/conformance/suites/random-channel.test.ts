import assert from "node:assert/strict";
import { test } from "node:test";
import { withEntriesAsSets } from "./random-channel.ts";

const text = (list: string): string => `subscription s requires at least one of ${list}`;
const same: readonly (readonly [string, string, string])[] = [
  ["the channels of one bundle", "c/n/a/x.v1 or c/n/b/x.v1", "c/n/b/x.v1 or c/n/a/x.v1"],
  [
    "a bundle that is listed for each channel",
    "c/n/a/x.v1 or c/n/b/x.v1",
    "c/n/a/x.v1, c/n/b/x.v1, c/n/b/x.v1 or c/n/a/x.v1",
  ],
];
const different: readonly (readonly [string, string, string])[] = [
  ["the order of bundles", "c/n/a/x.v2 or c/n/a/x.v1", "c/n/a/x.v1 or c/n/a/x.v2"],
  ["a missing channel", "c/n/a/x.v1 or c/n/b/x.v1", "c/n/a/x.v1 or c/n/a/x.v1"],
  ["the catalog", "c/n/a/x.v1 or c/n/b/x.v1", "d/n/a/x.v1 or d/n/b/x.v1"],
];

for (const [name, left, right] of same)
  test(`the order of ${name} says nothing`, () =>
    assert.equal(withEntriesAsSets(text(left)), withEntriesAsSets(text(right))));
for (const [name, left, right] of different)
  test(`${name} is compared`, () => assert.notEqual(withEntriesAsSets(text(left)), withEntriesAsSets(text(right))));
