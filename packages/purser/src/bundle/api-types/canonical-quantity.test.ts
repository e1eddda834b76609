import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalQuantity } from "./canonical-quantity.ts";

// As resource.Quantity of Kubernetes writes what it read.
for (const [text, written] of [
  ["0", "0"],
  ["0m", "0"],
  [" 5 ", "5"],
  ["-5", "-5"],
  ["+5", "+5"],
  ["0100m", "0100m"],
  ["100m", "100m"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["0.5", "500m"],
  ["0.1", "100m"],
  ["1.5", "1500m"],
  ["1000", "1k"],
  ["1234", "1234"],
  ["1000000", "1M"],
  ["1e3", "1e3"],
  ["1e2", "100"],
  ["12E", "12E"],
  ["3e-3", "3e-3"],
  ["1Ki", "1Ki"],
  ["8Ki", "8Ki"],
  ["1024Ki", "1Mi"],
  ["1024Mi", "1Gi"],
  ["1.5Gi", "1536Mi"],
  ["512Mi", "512Mi"],
  ["0.5Ki", "512"],
  ["1000Ki", "1000Ki"],
  ["1234567890123456789", "1234567890123456789"],
  ["x", undefined],
  ["", undefined],
] as const)
  test(`"${text}" is written as ${written === undefined ? "no amount" : `"${written}"`}`, () =>
    assert.equal(canonicalQuantity(text), written));
