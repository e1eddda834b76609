import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf, formatDuration } from "./age.ts";
import { goDuration } from "./go-duration.ts";
import { goFloat, goNumberText } from "./go-float.ts";
import { goQuote } from "./go-quote.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** The borders are those of `HumanDuration` in apimachinery. */
const ages: readonly (readonly [milliseconds: number, text: string])[] = [
  [-second - 1, "<invalid>"],
  [-second, "0s"],
  [-1, "0s"],
  [0, "0s"],
  [999, "0s"],
  [119_999, "119s"],
  [2 * minute, "2m"],
  [2 * minute + 59_999, "2m59s"],
  [10 * minute - 1, "9m59s"],
  [10 * minute, "10m"],
  [10 * minute + 59 * second, "10m"],
  [3 * hour - 1, "179m"],
  [3 * hour, "3h"],
  [3 * hour + minute, "3h1m"],
  [8 * hour - 1, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [2 * day - 1, "47h"],
  [2 * day, "2d"],
  [2 * day + 3 * hour, "2d3h"],
  [8 * day - 1, "7d23h"],
  [8 * day + 5 * hour, "8d"],
  [2 * year - 1, "729d"],
  [2 * year, "2y"],
  [2 * year + day, "2y1d"],
  [8 * year - 1, "7y364d"],
  [8 * year + day, "8y"],
  [20 * year, "20y"],
];

test("an age has at most two units, coarser the longer it is", () => {
  assert.deepEqual(
    ages.map(([milliseconds]) => [milliseconds, formatDuration(milliseconds)]),
    ages,
  );
  const now = Date.UTC(2026, 2, 4, 5, 6, 7);
  assert.equal(ageOf("2026-03-04T05:05:57Z", now), "10s");
  assert.equal(ageOf("", now), "<unknown>");
});

const invalid = (text: string): string => `time: invalid duration ${JSON.stringify(text)}`;

/** Milliseconds, or the error of `time.ParseDuration`. */
const durations: readonly (readonly [text: string, milliseconds: number | string])[] = [
  ["0", 0],
  ["-0", 0],
  ["+0", 0],
  ["1ns", 1e-6],
  ["1us", 1e-3],
  ["1µs", 1e-3],
  ["1μs", 1e-3],
  ["1ms", 1],
  ["2s", 2_000],
  ["+1m30s", 90_000],
  ["-1.5h", -5_400_000],
  ["1.s", 1_000],
  [".5s", 500],
  ["2562047h", 2562047 * 3_600_000],
  ["2562048h", invalid("2562048h")],
  ["9223372036854775807ns", invalid("9223372036854775807ns")],
  ["9999999999999999999ns", invalid("9999999999999999999ns")],
  ["2562047h2562047h", invalid("2562047h2562047h")],
  ["", invalid("")],
  ["-", invalid("-")],
  ["+", invalid("+")],
  ["s", invalid("s")],
  [".s", invalid(".s")],
  ["1.2.3s", invalid("1.2.3s")],
  ["1..s", invalid("1..s")],
  ["--1s", invalid("--1s")],
  ["00", 'time: missing unit in duration "00"'],
  ["1m30", 'time: missing unit in duration "1m30"'],
  ["1d", 'time: unknown unit "d" in duration "1d"'],
  ["1s s", 'time: unknown unit "s s" in duration "1s s"'],
];

test("a Go duration is read in milliseconds, or refused with Go's error", () => {
  const read = durations.map(([text]) => {
    const result = goDuration(text);
    return [text, result.ok ? result.value + 0 : result.problem];
  });
  assert.deepEqual(read, durations);
});

/** `strconv.FormatFloat(value, 'g', -1, bits)`. */
const floats: readonly (readonly [value: number, bits: 32 | 64, text: string])[] = [
  [0, 64, "0"],
  [-0, 64, "-0"],
  [Number.NaN, 64, "NaN"],
  [Infinity, 64, "+Inf"],
  [-Infinity, 64, "-Inf"],
  [1, 64, "1"],
  [-1.5, 64, "-1.5"],
  [100, 64, "100"],
  [123456, 64, "123456"],
  [999999, 64, "999999"],
  [1000000, 64, "1e+06"],
  [1234567, 64, "1.234567e+06"],
  [-1234567, 64, "-1.234567e+06"],
  [12.25, 64, "12.25"],
  [0.5, 64, "0.5"],
  [0.001, 64, "0.001"],
  [0.0001, 64, "0.0001"],
  [0.00001, 64, "1e-05"],
  [1e100, 64, "1e+100"],
  [1.5e-12, 64, "1.5e-12"],
  [0.1, 32, "0.1"],
  [0.1, 64, "0.1"],
  [-0.3, 32, "-0.3"],
  [1 / 3, 32, "0.33333334"],
  [1 / 3, 64, "0.3333333333333333"],
  [16777216, 32, "1.6777216e+07"],
];

test("a float is written as Go writes the shortest form", () => {
  assert.deepEqual(
    floats.map(([value, bits]) => [value, bits, goFloat(value, bits)]),
    floats,
  );
});

test("a number of JSON is printed with an exponent only when it is very small or very large", () => {
  const numbers: readonly (readonly [number, string])[] = [
    [0, "0"],
    [1e20, "100000000000000000000"],
    [1e21, "1e+21"],
    [-1e21, "-1e+21"],
    [0.0001, "0.0001"],
    [0.00005, "5e-05"],
    [-2.5, "-2.5"],
  ];
  assert.deepEqual(
    numbers.map(([value]) => [value, goNumberText(value)]),
    numbers,
  );
});

test("a lone surrogate is quoted as the character that stands for what cannot be decoded", () => {
  assert.equal(goQuote("\ud800a\udfff"), '"\ufffda\ufffd"');
  assert.equal(goQuote("\ue000\u0080"), '"\\ue000\\u0080"');
  assert.equal(goQuote("\u{10ffff}"), '"\\U0010ffff"');
});
