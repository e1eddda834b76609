import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultRetryPolicy, delayAfter, parseRetryAfter } from "./retry.ts";

const now = Date.UTC(2026, 0, 1, 12, 0, 0);
const headers: readonly { readonly header: string | undefined; readonly ms: number | undefined }[] = [
  { header: undefined, ms: undefined },
  { header: "7", ms: 7000 },
  { header: "0", ms: 0 },
  { header: "Thu, 01 Jan 2026 12:00:30 GMT", ms: 30_000 },
  { header: "Thu, 01 Jan 2026 11:00:00 GMT", ms: 0 },
  { header: "Fri, 02 Jan 2026 12:00:00 GMT", ms: 3_600_000 },
  { header: "999999999999", ms: 3_600_000 },
  { header: "soon", ms: undefined },
  { header: "-5", ms: undefined },
];
for (const { header, ms } of headers)
  test(`Retry-After "${header}" is ${ms} ms`, () => {
    assert.equal(parseRetryAfter(header, now), ms);
  });

const failure = { kind: "unreachable", text: "", remedy: "", isPassing: true } as const;

test("the delay doubles up to its limit, and jitter halves it at most", () => {
  const policy = { ...defaultRetryPolicy, tries: 9, firstDelayMs: 100, longestDelayMs: 500 };
  const delays = (fraction: number): readonly unknown[] =>
    [1, 2, 3, 4].map((tried) => delayAfter(failure, tried, policy, fraction));
  assert.deepEqual(delays(1), [100, 200, 400, 500]);
  assert.deepEqual(delays(0), [50, 100, 200, 250]);
});

test("the last try is not followed by another", () => {
  assert.equal(delayAfter(failure, defaultRetryPolicy.tries, defaultRetryPolicy, 0), undefined);
});

test("what will not pass is not tried again", () => {
  assert.equal(delayAfter({ ...failure, isPassing: false }, 1, defaultRetryPolicy, 0), undefined);
});
