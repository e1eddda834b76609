import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime } from "@purser/kubernetes/clock";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, InstallPlanStatus } from "../../../../apis/v0/install-plan.ts";
import type { Subscription, SubscriptionCondition, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { csvWaitText } from "../../../../installation/csv-wait.ts";
import { plannedPass } from "../testing/planned-pass.ts";
import { now, one, planOf, unpacked, worldOf } from "../testing/short-pass.ts";
import { withSubscriptionReadiness } from "./subscription-readiness.ts";

const subscription = { metadata: { namespace: "ns", name: "a" } } as unknown as Subscription;
const time = formatTime(now);

interface Case {
  readonly status?: Partial<SubscriptionStatus>;
  readonly phase?: string;
  readonly state?: string;
  readonly plan?: Partial<InstallPlanStatus>;
  readonly approved?: boolean;
}

/** Readiness of a Subscription whose installed CSV is `a.v1` where a phase is given: `TYPE REASON: MESSAGE`, or nothing. */
function shown({ status = {}, phase, state, plan, approved = true }: Case): readonly string[] {
  const annotations = state === undefined ? {} : { "purser.dev/state": state };
  const csv = { metadata: { namespace: "ns", name: "a.v1", annotations }, status: { phase } };
  const made: InstallPlan = {
    ...planOf("install-x", 1, { approved }),
    status: { phase: "", catalogSources: [], ...plan },
  };
  const held: SubscriptionStatus = {
    lastUpdated: "",
    ...(phase === undefined ? {} : { installedCSV: "a.v1", currentCSV: "a.v1", state: "AtLatestKnown" }),
    ...(plan === undefined ? {} : { installPlanRef: { name: "install-x" } }),
    ...status,
  };
  const world = { csvs: [csv as unknown as ClusterServiceVersion], installPlans: [made] };
  return withSubscriptionReadiness([{ subscription, status: held }], world, now).flatMap(({ status: { conditions } }) =>
    (conditions ?? [])
      .filter(({ type }) => type === "Stalled" || type === "Reconciling")
      .map(({ type, reason, message, status: said, lastTransitionTime }) => {
        assert.equal(said, "True");
        assert.equal(lastTransitionTime, time);
        return `${type} ${reason}: ${message}`;
      }),
  );
}

const holding = (
  type: SubscriptionCondition["type"],
  reason: string,
  message: string,
): Partial<SubscriptionStatus> => ({
  conditions: [{ type, status: "True", reason, message }],
});
const stalled = (reason: string, blockedBy: string, nextRetry: string): readonly string[] => [
  `Stalled ${reason}: stuckSince ${time}; blockedBy ${blockedBy}; nextRetry ${nextRetry}`,
];
const change = "when a Subscription, an operator or a catalog of the namespace changes";
const pending = { state: "UpgradePending", installPlanRef: { name: "install-x" } } as const;

const table: readonly (readonly [string, Case, readonly string[]])[] = [
  ["that no pass has resolved", {}, ["Reconciling Resolving: No InstallPlan has been created for the Subscription"]],
  [
    "that cannot be satisfied",
    { status: holding("ResolutionFailed", "ConstraintsNotSatisfiable", "ChannelNotFound: none\nOLM's text") },
    stalled("ChannelNotFound", "none", change),
  ],
  [
    "whose resolution is tried again",
    { status: holding("ResolutionFailed", "ErrorPreventedResolution", "CatalogUnavailable: m") },
    stalled("CatalogUnavailable", "m", `${change}, and every minute`),
  ],
  [
    "whose bundle cannot be read, without the time of the next try",
    { status: holding("BundleUnpackFailed", "BundleUnpackFailed", "no image; next try at 2026-01-01T00:00:00Z") },
    stalled("BundleUnpackFailed", "no image", `${change}, and every 5 minutes`),
  ],
  [
    "whose InstallPlan failed",
    { status: holding("InstallPlanFailed", "InstallComponentFailed", "m") },
    stalled("InstallComponentFailed", "m", "when a catalog offers another version"),
  ],
  [
    "whose bundle is being read",
    { status: holding("BundleUnpacking", "UnpackingInProgress", "") },
    ["Reconciling BundleUnpacking: the bundle is being read"],
  ],
  [
    "whose InstallPlan waits for approval of the first version",
    { status: pending, plan: { phase: "RequiresApproval" }, approved: false },
    ["Reconciling ApprovalRequired: InstallPlan install-x is pending approval"],
  ],
  [
    "whose InstallPlan waits for approval of an upgrade of what serves",
    { status: pending, phase: "Succeeded", plan: { phase: "RequiresApproval" }, approved: false },
    [],
  ],
  [
    "whose InstallPlan was approved",
    { status: pending, plan: { phase: "RequiresApproval" } },
    ["Reconciling Installing: InstallPlan install-x is being executed"],
  ],
  [
    "whose InstallPlan is refused by its condition",
    {
      status: pending,
      plan: {
        phase: "Installing",
        conditions: [{ type: "Installed", status: "False", reason: "r", message: "ObjectOwnedElsewhere: m" }],
      },
    },
    stalled("ObjectOwnedElsewhere", "InstallPlan install-x: m", "when the cluster changes, and with back-off"),
  ],
  [
    "one of whose steps is retried",
    { status: pending, plan: { phase: "Installing", message: "retrying execution due to error: m" } },
    stalled("InstallComponentFailed", "InstallPlan install-x: m", "when the cluster changes, and with back-off"),
  ],
  [
    "whose CSV is on its way",
    { phase: "Installing" },
    ["Reconciling Installing: ClusterServiceVersion a.v1 has not succeeded yet"],
  ],
  ["whose CSV succeeded", { phase: "Succeeded" }, []],
];
for (const [what, given, expected] of table)
  test(`a Subscription ${what}: ${expected[0]?.split(":")[0] ?? "neither condition"}`, () =>
    assert.deepEqual(shown(given), expected));

test("a Subscription whose CSV is stuck is stuck since then, by the same cause", () => {
  const state = csvWaitText({
    reason: "RolloutFailed",
    stuckSince: "2025-01-01T00:00:00Z",
    blockedBy: "first",
    nextRetry: "n",
  });
  assert.deepEqual(shown({ phase: "Pending", state }), [
    "Stalled RolloutFailed: stuckSince 2025-01-01T00:00:00Z; blockedBy ClusterServiceVersion a.v1: first; nextRetry n",
  ]);
});

test("a Subscription is stuck since its first cause, and the condition goes with the last one", () => {
  const early = "2025-01-01T00:00:00Z";
  const before: SubscriptionCondition = {
    type: "Stalled",
    status: "True",
    reason: "ChannelNotFound",
    message: `stuckSince ${early}; blockedBy b; nextRetry n`,
    lastTransitionTime: early,
  };
  const refused = holding("ResolutionFailed", "ConstraintsNotSatisfiable", "PackageNotFound: m").conditions ?? [];
  const next = (conditions: readonly SubscriptionCondition[], phase: string) => {
    const csv = { metadata: { name: "a.v1" }, status: { phase } } as unknown as ClusterServiceVersion;
    const status: SubscriptionStatus = { lastUpdated: "", installedCSV: "a.v1", conditions };
    return withSubscriptionReadiness([{ subscription, status }], { csvs: [csv], installPlans: [] }, now)[0]?.status
      .conditions;
  };
  assert.deepEqual(next([...refused, before], "Succeeded")?.at(-1), {
    ...before,
    reason: "PackageNotFound",
    message: `stuckSince ${early}; blockedBy m; nextRetry ${change}`,
  });
  assert.deepEqual(
    next([before], "Pending")?.map(({ type }) => type),
    ["Reconciling"],
  );
  assert.deepEqual(next([before], "Succeeded"), []);
});

test("a Subscription that is pointed at its new InstallPlan shows it in the same write", () => {
  const { plan } = plannedPass(worldOf({ catalog: one, subscriptions: ["a a"] }), now, unpacked);
  const [made] = plan.actions;
  assert.ok(made?.kind === "installPlans");
  const conditions = made.plans[0]?.subscriptions[0]?.status.conditions ?? [];
  const name = made.plans[0]?.wanted.object.metadata.name ?? "";
  assert.deepEqual(
    conditions.find(({ type }) => type === "Reconciling")?.message,
    `InstallPlan ${name} is being executed`,
  );
});
