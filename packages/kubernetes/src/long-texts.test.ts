import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGoDuration } from "./cel/cel-value.ts";
import { withoutEnding } from "./without-ending.ts";

test("the repetitions of a character at the end of a text are left out, those within it stay", () => {
  assert.equal(withoutEnding("a==b==", "="), "a==b");
  assert.equal(withoutEnding("===", "="), "");
  assert.equal(withoutEnding("a", "="), "a");
  assert.equal(withoutEnding("", "="), "");
});

test("a duration keeps its value when its numbers have more digits than count", () => {
  const hour = 3_600_000_000_000n;
  assert.equal(parseGoDuration(`${"0".repeat(40)}1h`)?.nanos, hour);
  assert.equal(parseGoDuration("1.5h")?.nanos, hour + hour / 2n);
  assert.equal(parseGoDuration("1.h")?.nanos, hour);
  assert.equal(parseGoDuration(".5h")?.nanos, hour / 2n);
  assert.equal(parseGoDuration(`0.${"3".repeat(40)}h`)?.nanos, 1_199_999_999_999n);
  assert.equal(parseGoDuration(`${"9".repeat(20)}ns`), undefined);
  assert.equal(parseGoDuration("1h."), undefined);
});
