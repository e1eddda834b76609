import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { countedSteps, pausesOf } from "@purser/kubernetes/testing/counted-steps";
import { validateLimitRange, validateQuota, validateQuotaStatus } from "./quota-validation.ts";

test("a quota of 20,000 entries is validated with pauses", () => {
  const amounts = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`count/k${index}.example.com`, "1"]),
  );
  const quota: JsonObject = { spec: { hard: amounts }, status: { hard: amounts, used: amounts } };
  const ofSpec = countedSteps(validateQuota(quota, undefined));
  assert.deepEqual(ofSpec.value, []);
  assert.ok(ofSpec.pauses >= 60, `${ofSpec.pauses} pauses`);
  const ofStatus = countedSteps(validateQuotaStatus(quota));
  assert.deepEqual(ofStatus.value, []);
  assert.ok(ofStatus.pauses >= 120, `${ofStatus.pauses} pauses for the status`);
});

test("a LimitRange is validated with pauses, in one limit of many resources and in many limits", () => {
  const amounts = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/k${index}`, "1"]));
  const one: JsonObject = { type: "Pod", max: amounts(10_000) };
  for (const limits of [
    [one],
    Array.from({ length: 500 }, (_, index) => ({ type: `a.io/t${index}`, max: amounts(20) })),
  ]) {
    const pauses = pausesOf(validateLimitRange({ spec: { limits } }));
    assert.ok(pauses >= 70, `${pauses} pauses`);
  }
});
