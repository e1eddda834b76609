import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { namesDigest } from "./plan-set.ts";

const digest = digestOf("plan");
const digits = digest.slice("sha256:".length);

test("eight digits of a digest name it, with or without sha256:, and seven name nothing", () => {
  assert.equal(namesDigest(digits.slice(0, 8), digest), true);
  assert.equal(namesDigest(`sha256:${digits.slice(0, 8)}`, digest), true);
  assert.equal(namesDigest(digits.slice(0, 7), digest), false);
  assert.equal(namesDigest(`sha256:${digits.slice(0, 7)}`, digest), false);
  assert.equal(namesDigest("", digest), false);
});

test("only the start of the digits names a digest", () => {
  assert.equal(namesDigest(digits.slice(1, 9), digest), false);
  assert.equal(namesDigest(digest, digest), true);
  assert.equal(namesDigest(`${digest}0`, digest), false);
});
