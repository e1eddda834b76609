import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePolicyDuration } from "./policy-duration.ts";

const minute = 60_000;
for (const [text, ms] of [
  ["4h", 240 * minute],
  ["90m", 90 * minute],
  ["1d12h", 36 * 60 * minute],
  ["2d", 2 * 24 * 60 * minute],
  ["1d1h1m", (25 * 60 + 1) * minute],
  ["99999d", 99_999 * 24 * 60 * minute],
  ["100000d", undefined],
  ["0h", undefined],
  ["0d0h0m", undefined],
  ["", undefined],
  ["1m1h", undefined],
  ["1h1h", undefined],
  ["1.5h", undefined],
  ["-1h", undefined],
  [" 1h", undefined],
  ["1s", undefined],
  ["1", undefined],
] as const)
  test(`the duration "${text}" is ${ms === undefined ? "none" : `${ms} ms`}`, () =>
    assert.equal(parsePolicyDuration(text), ms));
