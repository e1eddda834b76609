import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseTimes } from "./lease-times.ts";

test("a leader gives up before its Lease ends, after three tries", () => {
  assert.deepEqual(leaseTimes(3), { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 500 });
  assert.deepEqual(leaseTimes(15), { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2500 });
});
