import assert from "node:assert/strict";
import { test } from "node:test";
import { countedSteps, pausesOf } from "./counted-steps.ts";
import { SeededEntropy } from "./entropy.ts";
import { keepKeys, knownKeys } from "./known-keys.ts";
import { formatPlace } from "./place.ts";
import { all, done, failed, type Result } from "./result.ts";
import { allSteps, noSteps, sortedInSteps, Strides } from "./steps.ts";
import { traceParent } from "./tracing.ts";

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

test("texts are sorted in steps as at once, with one pause for each run and each stride of a merge", () => {
  const random = new SeededEntropy(7);
  for (const [count, pauses] of [
    [0, 0],
    [4096, 0],
    [4097, 3],
    [3 * 4096, 3 + 5],
  ] as const) {
    const texts = Array.from({ length: count }, () => random.suffix(3));
    const sorted = countedSteps(sortedInSteps(texts, compare));
    assert.deepEqual(sorted.value, texts.toSorted(compare));
    assert.equal(sorted.pauses, pauses, String(count));
  }
});

test("texts that are called equal keep their order", () => {
  const texts = Array.from({ length: 9000 }, (_, index) => `${index % 3}-${index}`);
  const byDigit = (left: string, right: string): number => left.charCodeAt(0) - right.charCodeAt(0);
  assert.deepEqual(allSteps(sortedInSteps(texts, byDigit)), texts.toSorted(byDigit));
});

test("a pause is due after each 4096 that were counted, however they were counted", () => {
  const strides = new Strides();
  assert.equal(strides.isDue(4095), false);
  assert.equal(strides.isDue(), true);
  assert.equal(strides.isDue(4095), false);
  assert.equal(strides.isDue(5000), true);
  assert.equal(strides.isDue(0), false);
});

test("a computation without steps leaves no pause", () => {
  assert.deepEqual(countedSteps(noSteps("value")), { value: "value", pauses: 0 });
  assert.equal(
    pausesOf(
      (function* () {
        yield;
        yield;
      })(),
    ),
    2,
  );
});

test("results are all values in order, or the first problem", () => {
  const second: Result<number, string> = failed("second");
  assert.deepEqual(all([]), done([]));
  assert.deepEqual(all([done(1), done(2)]), done([1, 2]));
  assert.deepEqual(all([done(1), second, failed("third")]), second);
});

test("a place has the parts that are known", () => {
  assert.equal(formatPlace({}), "");
  assert.equal(formatPlace({ file: "a.yaml", line: 2, column: 3, pointer: "/b" }), "a.yaml:2:3 /b");
  assert.equal(formatPlace({ file: "a.yaml", pointer: "" }), "a.yaml");
  assert.equal(formatPlace({ pointer: "/b" }), "/b");
  assert.equal(formatPlace({ line: 2 }), "2");
});

test("the keys of a large object are listed once, those of a small one each time", () => {
  const large: Record<string, number> = Object.fromEntries(Array.from({ length: 4096 }, (_, at) => [`k${at}`, at]));
  const listed = knownKeys(large);
  assert.deepEqual(listed, Object.keys(large));
  assert.equal(knownKeys(large), listed);
  const small: Record<string, number> = Object.fromEntries(Object.entries(large).slice(1));
  const keys = knownKeys(small);
  assert.deepEqual(keys, Object.keys(small));
  assert.notEqual(knownKeys(small), keys);
  const given = Object.keys(large);
  const copy = { ...large };
  keepKeys(copy, given);
  assert.equal(knownKeys(copy), given);
});

test("a traceparent says whether the trace is kept", () => {
  const reference = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
  assert.equal(traceParent({ ...reference, isSampled: true }), `00-${"a".repeat(32)}-${"b".repeat(16)}-01`);
  assert.equal(traceParent({ ...reference, isSampled: false }), `00-${"a".repeat(32)}-${"b".repeat(16)}-00`);
});

test("a seed gives the same identifiers each time, in the forms of Kubernetes", () => {
  const [one, again, other] = [new SeededEntropy(1), new SeededEntropy(1), new SeededEntropy(2)];
  const first = [one.uuid(), one.suffix(5), one.fraction(), [...one.bytes(3)]];
  assert.deepEqual(first, [again.uuid(), again.suffix(5), again.fraction(), [...again.bytes(3)]]);
  assert.notEqual(first[0], other.uuid());
  assert.match(String(first[0]), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(String(first[1]), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  assert.ok(Array.from({ length: 100 }, () => other.fraction()).every((part) => part >= 0 && part < 1));
});
