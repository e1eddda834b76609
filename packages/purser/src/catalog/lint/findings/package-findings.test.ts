import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsIn } from "../testing/worlds.ts";

const channel = "{schema: olm.channel, package: etdc, name: stable, entries: [{name: etcd.v1}]}";
const packageBlob = (name: string): string => `{schema: olm.package, name: ${name}, defaultChannel: stable}`;

/** Why and remedy of what is said of members of unknown packages. */
const orphans = (text: string): readonly (readonly (string | undefined)[])[] =>
  findingsIn(text).flatMap(({ rule, message, why, remedy }) =>
    rule === "PPK003" ? [[message, why, remedy] as const] : [],
  );

test("a channel of an unknown package says whether there is another one, and which is near", () => {
  const message = 'unknown package "etdc" for channel "stable"';
  const other = "the catalog has no olm.package blob of that name";
  assert.deepEqual(orphans(channel), [[message, "the catalog has no olm.package blob", undefined]]);
  assert.deepEqual(orphans(`${channel}\n---\n${packageBlob("prometheus")}`), [[message, other, undefined]]);
  assert.deepEqual(orphans(`${channel}\n---\n${packageBlob("etcd")}`), [
    [message, other, "correct it to package: etcd, or add the olm.package blob"],
  ]);
});
