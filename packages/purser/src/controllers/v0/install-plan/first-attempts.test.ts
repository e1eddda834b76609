import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import { FirstAttempts } from "./first-attempts.ts";

const key = { namespace: "ns", name: "install-a" };
const planOf = (uid: string, phase: "Installing" | "Failed" = "Installing"): InstallPlan => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "InstallPlan",
  metadata: { ...key, uid },
  spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: [] },
  status: { phase, catalogSources: [] },
});

test("the first attempt counts, not later ones", () => {
  const attempts = new FirstAttempts();
  assert.equal(attempts.of(key, planOf("1")), undefined);
  attempts.note(key, planOf("1"), 5);
  attempts.note(key, planOf("1"), 9);
  assert.equal(attempts.of(key, planOf("1")), 5);
});

for (const [what, plan] of [
  ["a plan that is no longer being installed", planOf("1", "Failed")],
  ["a deleted plan", undefined],
  ["a plan of the same name that was made anew", planOf("2")],
] as const)
  test(`${what} is forgotten`, () => {
    const attempts = new FirstAttempts();
    attempts.note(key, planOf("1"), 5);
    assert.equal(attempts.of(key, plan), undefined);
    assert.equal(attempts.of(key, planOf("1")), undefined);
  });
