import assert from "node:assert/strict";
import { test } from "node:test";
import { pollMs, restOfPollMs, retryMs } from "./image-pauses.ts";

const problem = { kind: "unreachable", reference: "r", cause: "c", remedy: "r" } as const;
const minute = 60_000;

const retries: readonly (readonly [what: string, ms: number, wait: object, failures: number, fraction: number])[] = [
  ["the first failure waits two seconds", 2000, {}, 1, 0],
  ["every failure doubles the pause", 16_000, {}, 4, 0],
  ["up to a tenth is added, so that replicas do not ask together", 2200, {}, 1, 1],
  ["no pause is longer than five minutes", 5 * minute, {}, 1000, 0],
  ["a registry that asks for more time gets it", 30_000, { retryAfterMs: 30_000 }, 1, 0],
  ["a registry cannot put a pull off for hours", 5 * minute, { retryAfterMs: 60 * minute }, 1, 0],
  ["a registry that asks for less does not shorten the pause", 16_000, { retryAfterMs: 1000 }, 4, 0],
  ["content that cannot be used is looked at every five minutes", 5 * minute, { isFinal: true }, 1, 0],
];
for (const [claim, ms, wait, failures, fraction] of retries)
  test(claim, () => assert.equal(retryMs({ ...problem, ...wait }, failures, fraction), ms));

test("a poll is spread between the two factors of its jitter, and what has no poll is never looked at again", () => {
  const poll = { everyMs: 1000, jitter: [0.9, 1.1] } as const;
  assert.deepEqual([pollMs(poll, 0), Math.round(pollMs(poll, 1) ?? 0), pollMs(undefined, 0)], [900, 1100, undefined]);
});

// The interval cases that OLM v0's own tests pin: [interval, minutes since the last poll, rest].
const rests: readonly (readonly [every: number, ago: number, rest: number])[] = [
  [30, 29, 1],
  [10, 5, 5],
  [40, 35, 5],
  [40, 30, 10],
  [10, 11, 0],
];
for (const [every, ago, rest] of rests)
  test(`${ago} minutes after a look, a poll of every ${every} minutes is due in ${rest}`, () => {
    const poll = { everyMs: every * minute, jitter: [1, 1], lastMs: 0 } as const;
    assert.equal(restOfPollMs(poll, ago * minute), rest * minute);
  });

test("without a former look a poll is due now", () => {
  assert.equal(restOfPollMs({ everyMs: minute, jitter: [1, 1] }, 5), 0);
});
