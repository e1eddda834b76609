import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { validateQuota, validateQuotaStatus } from "./quota-validation.ts";

test("a quota of 20,000 entries is validated with pauses", () => {
  const amounts = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`count/k${index}.example.com`, "1"]),
  );
  const pausesOf = (steps: Steps<readonly unknown[]>): number => {
    for (let pauses = 0; ; pauses++) {
      const step = steps.next();
      if (step.done !== true) continue;
      assert.deepEqual(step.value, []);
      return pauses;
    }
  };
  const quota: JsonObject = { spec: { hard: amounts }, status: { hard: amounts, used: amounts } };
  const ofSpec = pausesOf(validateQuota(quota, undefined));
  assert.ok(ofSpec >= 60, `${ofSpec} pauses`);
  const ofStatus = pausesOf(validateQuotaStatus(quota));
  assert.ok(ofStatus >= 120, `${ofStatus} pauses for the status`);
});
