import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuantity } from "./quantity-value.ts";

test("a quantity is an amount, rounded up to 10^-9, with the format of its suffix", () => {
  const nanosOf = (text: string): string | bigint => {
    const read = readQuantity(text);
    return typeof read === "string" ? read : read.nanos;
  };
  assert.deepEqual(["1", "-1.5", ".5", "1.", "1Ki", "500m", "1e3", "1E-3", "0.0000000001", "007"].map(nanosOf), [
    10n ** 9n,
    -15n * 10n ** 8n,
    5n * 10n ** 8n,
    10n ** 9n,
    1024n * 10n ** 9n,
    5n * 10n ** 8n,
    10n ** 12n,
    10n ** 6n,
    1n,
    7n * 10n ** 9n,
  ]);
  assert.deepEqual(["", ".", "1x", "1.2.3", "1 ", "--1"].map(nanosOf), Array(6).fill("malformed"));
  assert.deepEqual(["1KiB", "1ee3", "1-3", "1+"].map(nanosOf), ["malformed", "suffix", "suffix", "suffix"]);
});

test("a quantity of a million digits is parsed or refused without a long computation", () => {
  const digits = "1".repeat(1_000_000);
  for (const text of [`${digits}!`, `.${digits}!`, `1${"e".repeat(1_000_000)}!`])
    assert.equal(readQuantity(text), "malformed");
  for (const text of [digits, `-${digits}`, `0.${digits}`, `${digits}.${digits}Ki`])
    assert.equal(typeof readQuantity(text), "object");
});
