import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { validateLimitRange, validateQuota, validateQuotaStatus } from "./quota-validation.ts";

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

test("a LimitRange is validated with pauses, in one limit of many resources and in many limits", () => {
  const amounts = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/k${index}`, "1"]));
  const one: JsonObject = { type: "Pod", max: amounts(10_000) };
  for (const limits of [
    [one],
    Array.from({ length: 500 }, (_, index) => ({ type: `a.io/t${index}`, max: amounts(20) })),
  ]) {
    let pauses = 0;
    const steps = validateLimitRange({ spec: { limits } });
    for (let step = steps.next(); step.done !== true; step = steps.next()) pauses++;
    assert.ok(pauses >= 70, `${pauses} pauses`);
  }
});
