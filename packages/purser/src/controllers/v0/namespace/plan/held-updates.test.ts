import assert from "node:assert/strict";
import { test } from "node:test";
import type { Subscription, SubscriptionCondition } from "../../../../apis/v0/subscription.ts";
import type { Policies } from "../../../../policy/effective-policy.ts";
import { type InstallationHolds, noHolds } from "../../../../policy/installation-holds.ts";
import { withHeldUpdates } from "./held-updates.ts";

const subscription = {
  metadata: { name: "etcd", namespace: "data" },
  spec: { name: "etcd", source: "community", sourceNamespace: "olm" },
} as unknown as Subscription;
const pending: SubscriptionCondition = { type: "InstallPlanPending", status: "True" };
const held: SubscriptionCondition = {
  type: "UpdateHeld",
  status: "True",
  reason: "VersionHeld",
  message: "old",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const policies = (spec: object): Policies =>
  ({
    updatePolicies: [],
    clusterUpdatePolicies: [{ metadata: { name: "prod" }, spec }],
  }) as unknown as Policies;
const waiting = {
  ...noHolds,
  waiting: { code: "Soaking", summary: "etcd.v2 soaks", facts: {}, derivation: [], remedies: [] },
} as unknown as InstallationHolds;

const conditionsAfter = (
  conditions: readonly SubscriptionCondition[] | undefined,
  holds: InstallationHolds | undefined,
  unjudged?: Policies,
) => {
  const status = { lastUpdated: "2026-01-01T00:00:00Z", ...(conditions === undefined ? {} : { conditions }) };
  const [after] = withHeldUpdates([{ subscription, status }], holds === undefined ? [] : [holds], 1000, unjudged);
  return after?.status === status ? "unchanged" : after?.status.conditions;
};

test("an upgrade that waits has the condition UpdateHeld with the cause, whatever it said before", () => {
  const expected = {
    type: "UpdateHeld",
    status: "True",
    reason: "Soaking",
    message: "etcd.v2 soaks",
    lastTransitionTime: "1970-01-01T00:00:01Z",
  };
  assert.deepEqual(conditionsAfter(undefined, waiting), [expected]);
  assert.deepEqual(conditionsAfter([pending], waiting), [pending, expected]);
});

test("the condition goes when nothing waits any more, and a status without it is left as it is", () => {
  assert.deepEqual(conditionsAfter([held, pending], noHolds), [pending]);
  assert.deepEqual(conditionsAfter([held, pending], undefined), [pending]);
  assert.equal(conditionsAfter([pending], noHolds), "unchanged");
  assert.equal(conditionsAfter(undefined, noHolds), "unchanged");
});

test("the condition stays until upgrades were looked at, where a policy judges by what they hold", () => {
  assert.equal(conditionsAfter([held], noHolds, policies({ crdChange: "Block" })), "unchanged");
  assert.deepEqual(conditionsAfter([held], noHolds, policies({ approval: { major: "Manual" } })), []);
});
