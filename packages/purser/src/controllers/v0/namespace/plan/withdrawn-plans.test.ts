import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import type { ClusterUpdatePolicySpec } from "../../../../apis/policy/cluster-update-policy.ts";
import { type Given, now, worldOf, unpacked } from "../testing/short-pass.ts";
import { plannedPass } from "../testing/planned-pass.ts";

const plan = (
  name: string,
  generation: number,
  csvs: readonly string[],
  phase: NonNullable<InstallPlan["status"]>["phase"],
): InstallPlan => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "InstallPlan",
  metadata: { namespace: "ns", name, uid: `uid-${name}` },
  spec: { approval: "Manual", approved: phase === "Complete", clusterServiceVersionNames: csvs, generation },
  status: { phase, plan: [], catalogSources: [] },
});
const old = plan("old", 1, ["a.v1"], "Complete");
const waiting = plan("new", 2, ["a.v3"], "RequiresApproval");
const catalog = { "a/stable": ["a.v3 3.0.0 replaces a.v2 skips a.v1", "a.v2 2.0.0 replaces a.v1", "a.v1 1.0.0"] };
const moving: Partial<SubscriptionStatus> = {
  state: "UpgradePending",
  installedCSV: "a.v1",
  currentCSV: "a.v3",
  installPlanRef: { name: "new" },
  installPlanGeneration: 2,
  conditions: [{ type: "InstallPlanPending", status: "True", reason: "RequiresApproval" }],
};
const given: Given = { catalog, installed: ["a.v1 1.0.0 a"], plans: [old, waiting], status: moving };

/** The status of Subscription `a` after one pass under a policy; undefined when it is not written. */
function after(spec: ClusterUpdatePolicySpec, change: Partial<Given> = {}): SubscriptionStatus | undefined {
  const policy = { apiVersion: "purser.dev/v1alpha1", kind: "ClusterUpdatePolicy", metadata: { name: "p" }, spec };
  const world = {
    ...worldOf({ ...given, ...change }),
    policies: { updatePolicies: [], clusterUpdatePolicies: [policy] },
  };
  const { actions } = plannedPass(world as never, now, unpacked).plan;
  const [write] = actions.flatMap((action) => (action.kind === "write" ? [action.write] : []));
  if (write === undefined || write.verb !== "replace") return undefined;
  return (write.object as { readonly status?: SubscriptionStatus }).status;
}
const inShort = (status: SubscriptionStatus | undefined) =>
  status === undefined
    ? undefined
    : [status.state, status.currentCSV, status.installPlanRef?.name, status.installPlanGeneration]
        .map(String)
        .join(" ");

for (const [what, spec, change, expected] of [
  ["nothing may be installed", { level: "none" }, {}, "AtLatestKnown a.v1 old 2"],
  ["another version is allowed", { versions: { denied: ["3.0.0"] } }, {}, "AtLatestKnown a.v1 old 2"],
  [
    "what brought the installed version has been collected",
    { level: "none" },
    { plans: [waiting] },
    "AtLatestKnown a.v1 undefined 2",
  ],
  [
    "several brought what is installed: the newest counts",
    { level: "none" },
    { plans: [old, plan("repaired", 3, ["a.v1"], "Complete"), waiting] },
    "AtLatestKnown a.v1 repaired 2",
  ],
  [
    "nothing is installed",
    { versions: { denied: ["3.0.0"] } },
    { installed: [], status: { ...moving, installedCSV: "" } },
    " undefined undefined 2",
  ],
] satisfies readonly (readonly [string, ClusterUpdatePolicySpec, Partial<Given>, string])[])
  test(`an InstallPlan that waits and is held back is withdrawn: ${what}`, () => {
    const status = after(spec, change);
    assert.equal(inShort(status), expected);
    assert.equal(
      status?.conditions?.some(({ type }) => type === "InstallPlanPending"),
      false,
    );
  });

for (const [what, spec, change] of [
  ["what it brings is allowed", { versions: { denied: ["2.0.0"] } }, {}],
  ["it is carried out already", { level: "none" }, { plans: [old, plan("new", 2, ["a.v3"], "Installing")] }],
] satisfies readonly (readonly [string, ClusterUpdatePolicySpec, Partial<Given>])[])
  test(`an InstallPlan is not withdrawn when ${what}`, () => {
    const status = after(spec, change);
    assert.equal(status?.installPlanRef?.name ?? "new", "new");
    assert.equal(status?.state ?? "UpgradePending", "UpgradePending");
  });

/** What the Subscriptions `a` and `b` show after a pass under a policy for `b`, where their InstallPlans wait. */
function afterPolicyForB(plans: readonly InstallPlan[], refs: { readonly a: string; readonly b: string }) {
  const world = worldOf({
    ...given,
    catalog: { ...catalog, "b/stable": ["b.v2 2.0.0 replaces b.v1", "b.v1 1.0.0"] },
    subscriptions: ["a a/stable", "b b/stable"],
    installed: ["a.v1 1.0.0 a", "b.v1 1.0.0 b"],
    plans,
    status: {},
  });
  const policy = { metadata: { name: "p" }, spec: { selector: { packages: ["b"] }, level: "none" } };
  const subscriptions = world.subscriptions.map((one) => {
    const name = one.metadata.name === "a" ? "a" : "b";
    const csv = { installedCSV: `${name}.v1`, currentCSV: name === "a" ? "a.v3" : "b.v2" };
    return { ...one, status: { ...one.status, ...moving, ...csv, installPlanRef: { name: refs[name] } } };
  });
  const policies = { updatePolicies: [], clusterUpdatePolicies: [policy] };
  const { actions } = plannedPass({ ...world, subscriptions, policies } as never, now, unpacked).plan;
  return actions.flatMap((action) =>
    action.kind === "write" && action.write.verb === "replace"
      ? [(action.write.object as { readonly status?: SubscriptionStatus }).status?.currentCSV]
      : [],
  );
}

test("the InstallPlan of two Subscriptions is withdrawn from both when a policy holds back what one of them gets", () => {
  const both = plan("new", 2, ["a.v3", "b.v2"], "RequiresApproval");
  assert.deepEqual(afterPolicyForB([old, both], { a: "new", b: "new" }), ["a.v1", "b.v1"]);
});

test("an InstallPlan stays with its Subscription when another one is withdrawn", () => {
  const other = plan("other", 3, ["b.v2"], "RequiresApproval");
  assert.deepEqual(afterPolicyForB([old, waiting, other], { a: "new", b: "other" }), ["a.v3", "b.v1"]);
});
