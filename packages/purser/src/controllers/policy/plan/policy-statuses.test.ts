import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterUpdatePolicy } from "../../../apis/policy/cluster-update-policy.ts";
import { planPolicyStatuses } from "./policy-statuses.ts";

const now = Date.parse("2026-03-01T00:00:00Z");

const policy = (name: string, until: string | undefined): ClusterUpdatePolicy => ({
  apiVersion: "purser.dev/v1alpha1",
  kind: "ClusterUpdatePolicy",
  metadata: { name, generation: 1 },
  spec: { level: "none", ...(until === undefined ? {} : { until }) },
});

for (const [what, ends, recheckAfterMs] of [
  ["the first end that is to come", ["2026-03-01T00:01:00Z", "2026-03-01T00:00:10Z"], 10_000],
  ["an end that is to come, not one that is past", ["2026-02-01T00:00:00Z", "2026-03-01T00:01:00Z"], 60_000],
  ["no end that is past", ["2026-02-01T00:00:00Z"], undefined],
  ["no end that cannot be read", ["soon", undefined], undefined],
] as const)
  test(`policies are looked at again after ${what}`, () => {
    const clusterUpdatePolicies = ends.map((until, at) => policy(`p${at}`, until));
    const plan = planPolicyStatuses({ updatePolicies: [], clusterUpdatePolicies, subjects: [] }, now);
    assert.equal(plan.recheckAfterMs, recheckAfterMs);
    assert.equal(plan.actions.length, ends.length);
  });

for (const [what, spec, expected] of [
  ["that has ended is ready", { until: "2026-02-01T00:00:00Z" }, ["Ready=True Ended", "Stalled=False Ended"]],
  ["that selects nothing is ready", {}, ["Ready=True NothingSelected", "Stalled=False NothingSelected"]],
  ["whose soak is no duration is stalled", { soak: "x" }, ["Ready=False SoakInvalid", "Stalled=True SoakInvalid"]],
] as const)
  test(`a policy ${what}`, () => {
    const { spec: own, ...rest } = policy("p", undefined);
    const clusterUpdatePolicies = [{ ...rest, spec: { ...own, ...spec } }];
    const { actions } = planPolicyStatuses({ updatePolicies: [], clusterUpdatePolicies, subjects: [] }, now);
    const shown = JSON.stringify(actions);
    const conditions = [...shown.matchAll(/"type":"(Ready|Stalled)","status":"(\w+)".*?"reason":"(\w+)"/g)];
    assert.deepEqual(
      conditions.map(([, type, status, reason]) => `${type}=${status} ${reason}`),
      expected,
      shown,
    );
  });
