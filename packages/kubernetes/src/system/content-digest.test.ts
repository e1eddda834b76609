import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "../digest.ts";
import { contentDigest } from "./content-digest.ts";

test("gives the digest of the pure function for texts and bytes, for half a surrogate pair too", () => {
  for (const content of ["", "kiln", "größer 😀", "half \ud83d of a pair", new Uint8Array([0, 255, 10])])
    assert.equal(contentDigest(content), digestOf(content));
});
