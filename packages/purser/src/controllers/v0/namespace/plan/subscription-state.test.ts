import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan, InstallPlanStatus } from "../../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import { judgeState } from "./subscription-state.ts";

const subscription: Subscription = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { namespace: "ns", name: "s", uid: "uid-s" },
  spec: { name: "a", source: "cat", sourceNamespace: "olm" },
};

const properties = (packageName: string): string =>
  JSON.stringify({ properties: [{ type: "olm.package", value: { packageName, version: "1.0.0" } }] });

const lookup = (packageName: string): Partial<InstallPlanStatus> => ({
  bundleLookups: [
    {
      path: "i",
      identifier: `${packageName}.v1`,
      replaces: "",
      catalogSourceRef: {},
      properties: properties(packageName),
    },
  ],
});

const csvStep = (packageName: string): Partial<InstallPlanStatus> => ({
  plan: [
    {
      resolving: `${packageName}.v1`,
      resource: {
        kind: "ClusterServiceVersion",
        name: `${packageName}.v1`,
        group: "operators.coreos.com",
        version: "v1alpha1",
        sourceName: "cat",
        sourceNamespace: "olm",
        manifest: JSON.stringify({
          metadata: { annotations: { "operatorframework.io/properties": properties(packageName) } },
        }),
      },
      status: "Unknown",
    },
  ],
});

/** A plan of a process that ended before it pointed the Subscription at it. */
function orphan(status: Partial<InstallPlanStatus>, owner = "uid-s"): InstallPlan {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: {
      namespace: "ns",
      name: "install-x",
      ownerReferences: [{ apiVersion: "operators.coreos.com/v1alpha1", kind: "Subscription", name: "s", uid: owner }],
    },
    spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: [], generation: 1 },
    status: { phase: "Installing", catalogSources: [], ...status },
  };
}

const taken = (plan: InstallPlan): string | undefined => {
  const { installPlanRef, currentCSV } = judgeState(subscription, { groups: [], installPlans: [plan], csvs: [] });
  return installPlanRef === undefined ? undefined : `${installPlanRef.name} ${currentCSV}`;
};

for (const [what, plan, expected] of [
  ["from an image", orphan(lookup("a")), "install-x a.v1"],
  ["that the catalog carries", orphan(csvStep("a")), "install-x a.v1"],
  ["of another package", orphan({ ...lookup("b"), ...csvStep("c") }), undefined],
  ["for another Subscription", orphan(lookup("a"), "uid-other"), undefined],
  ["whose plan failed", orphan({ ...lookup("a"), phase: "Failed" }), undefined],
] as const)
  test(`a plan that nobody points at and that brings a bundle ${what} is ${expected === undefined ? "not " : ""}taken up`, () => {
    assert.equal(taken(plan), expected);
  });
