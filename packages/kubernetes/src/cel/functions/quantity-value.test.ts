import assert from "node:assert/strict";
import { test } from "node:test";
import { addQuantities, asDouble, ofUnits, readQuantity, wholeUnits } from "./quantity-value.ts";

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

/** Amount in 10^-9, whether Go keeps it as an integer, and the format; or why it is refused. */
const quantities: readonly (readonly [text: string, ...parts: (bigint | boolean | string)[]])[] = [
  ["1", 1000000000n, true, "DecimalSI"],
  ["0", 0n, true, "DecimalSI"],
  ["-1", -1000000000n, true, "DecimalSI"],
  ["+1", 1000000000n, true, "DecimalSI"],
  ["1.0", 1000000000n, false, "DecimalSI"],
  ["1.5", 1500000000n, false, "DecimalSI"],
  ["1000m", 1000000000n, false, "DecimalSI"],
  ["1m", 1000000n, false, "DecimalSI"],
  ["1u", 1000n, false, "DecimalSI"],
  ["1n", 1n, false, "DecimalSI"],
  ["0.1n", 1n, false, "DecimalSI"],
  ["0.5n", 1n, false, "DecimalSI"],
  ["-0.1n", -1n, false, "DecimalSI"],
  ["1k", 1000000000000n, true, "DecimalSI"],
  ["1.5k", 1500000000000n, true, "DecimalSI"],
  ["1.1234k", 1123400000000n, false, "DecimalSI"],
  ["1M", 1000000000000000n, true, "DecimalSI"],
  ["1G", 1000000000000000000n, true, "DecimalSI"],
  ["1T", 1000000000000000000000n, true, "DecimalSI"],
  ["1P", 1000000000000000000000000n, true, "DecimalSI"],
  ["1E", 1000000000000000000000000000n, true, "DecimalSI"],
  ["1Ki", 1024000000000n, true, "BinarySI"],
  ["1.5Ki", 1536000000000n, false, "BinarySI"],
  ["1.0Ki", 1024000000000n, false, "BinarySI"],
  ["0.5Mi", 524288000000000n, false, "BinarySI"],
  ["1Mi", 1048576000000000n, true, "BinarySI"],
  ["1Gi", 1073741824000000000n, true, "BinarySI"],
  ["1Ti", 1099511627776000000000n, true, "BinarySI"],
  ["1Pi", 1125899906842624000000000n, true, "BinarySI"],
  ["1Ei", 1152921504606846976000000000n, true, "BinarySI"],
  ["8Ei", 9223372036854775808000000000n, false, "BinarySI"],
  ["7Ei", 8070450532247928832000000000n, true, "BinarySI"],
  ["-8Ei", -9223372036854775808000000000n, true, "BinarySI"],
  ["9E", 9000000000000000000000000000n, true, "DecimalSI"],
  ["10E", 10000000000000000000000000000n, false, "DecimalSI"],
  ["9223372036854775807", 9223372036854775807000000000n, true, "DecimalSI"],
  ["9223372036854775808", 9223372036854775808000000000n, false, "DecimalSI"],
  ["-9223372036854775808", -9223372036854775808000000000n, true, "DecimalSI"],
  ["-9223372036854775809", -9223372036854775809000000000n, false, "DecimalSI"],
  ["1e3", 1000000000000n, true, "DecimalExponent"],
  ["1E3", 1000000000000n, true, "DecimalExponent"],
  ["1e-3", 1000000n, false, "DecimalExponent"],
  ["1e+3", 1000000000000n, true, "DecimalExponent"],
  ["1.5e1", 15000000000n, true, "DecimalExponent"],
  ["1.55e1", 15500000000n, false, "DecimalExponent"],
  ["1e0", 1000000000n, true, "DecimalExponent"],
  ["1e10", 10000000000000000000n, true, "DecimalExponent"],
  ["1e1000", "suffix"],
  ["1e", "suffix"],
  ["1K", "suffix"],
  ["1mi", "suffix"],
  ["1ki", "suffix"],
  ["1i", "suffix"],
  ["e3", "malformed"],
  [".5", 500000000n, false, "DecimalSI"],
  ["5.", 5000000000n, true, "DecimalSI"],
  ["1.2e-2", 12000000n, false, "DecimalExponent"],
  ["007", 7000000000n, true, "DecimalSI"],
  ["0k", 0n, true, "DecimalSI"],
  ["constructor", "malformed"],
  ["1constructor", "malformed"],
  ["1toString", "malformed"],
];

test("a quantity is whole when Go keeps it as an integer of 64 bits without scale", () => {
  const partsOf = (text: string): readonly (bigint | boolean | string)[] => {
    const read = readQuantity(text);
    return typeof read === "string" ? [read] : [read.nanos, read.whole, read.format];
  };
  assert.deepEqual(
    quantities.map(([text]) => [text, ...partsOf(text)]),
    quantities,
  );
});

test("digits beyond a thousand still round away from zero, and more of them are the largest amount", () => {
  const zeros = "0".repeat(1024);
  const nanosOf = (text: string): bigint | undefined => {
    const read = readQuantity(text);
    return typeof read === "string" ? undefined : read.nanos;
  };
  assert.equal(nanosOf(`0.${zeros}`), 0n);
  assert.equal(nanosOf(`0.${zeros}0`), 0n);
  assert.equal(nanosOf(`0.${zeros}01`), 1n);
  assert.equal(nanosOf(`-1.${zeros}5`), -1_000_000_001n);
  assert.equal(nanosOf(`1${zeros.slice(1)}`), 10n ** 1032n);
  const largest = (2n ** 63n - 1n) * 10n ** 9n;
  assert.deepEqual(readQuantity(`1${zeros}Ki`), { nanos: largest, whole: true, format: "BinarySI" });
  assert.deepEqual(readQuantity(`-1${zeros}`), { nanos: -largest, whole: true, format: "DecimalSI" });
  assert.equal(nanosOf(`${zeros}${zeros}5`), 5_000_000_000n);
});

test("a sum is whole while both parts are and it fits into 64 bits", () => {
  const one = ofUnits(1n);
  const most = ofUnits(2n ** 63n - 1n);
  assert.deepEqual(addQuantities(one, one, 1n), { nanos: 2_000_000_000n, whole: true });
  assert.deepEqual(addQuantities(one, one, -1n), { nanos: 0n, whole: true });
  assert.deepEqual(addQuantities(one, { nanos: 5n, whole: false }, 1n), { nanos: 1_000_000_005n, whole: false });
  assert.deepEqual(addQuantities({ nanos: 5n, whole: false }, one, -1n), { nanos: -999_999_995n, whole: false });
  assert.equal(addQuantities(most, one, 1n).whole, false);
  assert.equal(addQuantities(most, one, -1n).whole, true);
  assert.equal(wholeUnits({ nanos: 1_999_999_999n, whole: false }), 1n);
  assert.equal(asDouble({ nanos: 1_500_000_000n, whole: false }), 1.5);
});
