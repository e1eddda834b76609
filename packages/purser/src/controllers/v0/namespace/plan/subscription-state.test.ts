import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan, InstallPlanStatus } from "../../../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { Subscription, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { inlineLimit } from "../../../../resolver/v0/install-plan/bundle-reference.ts";
import {
  completed,
  decided,
  named as csvNamed,
  present,
} from "../../../../resolver/v0/install-plan/testing/decided-install.ts";
import { shortCatalog } from "../../../../resolver/testing/short-catalog.ts";
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
  test(`an unreferenced plan with a bundle ${what} is ${expected === undefined ? "not " : ""}taken up`, () => {
    assert.equal(taken(plan), expected);
  });

const judged = (
  change: Partial<Pick<Subscription, "metadata" | "status">>,
  installPlans: readonly InstallPlan[],
  groups: readonly OperatorGroup[] = [],
): SubscriptionStatus => judgeState({ ...subscription, ...change }, { groups, installPlans, csvs: [] });

const named = (plan: InstallPlan, name: string, generation?: number): InstallPlan => {
  const { generation: _before, ...spec } = plan.spec;
  return {
    ...plan,
    metadata: { ...plan.metadata, name },
    spec: generation === undefined ? spec : { ...spec, generation },
  };
};

test("the newest unreferenced plan is taken up if it is newer than the plan that the Subscription references", () => {
  const plans = [1, 3, 2].map((generation) => named(orphan(lookup("a")), `p${generation}`, generation));
  assert.equal(judged({}, plans).installPlanRef?.name, "p3");
  assert.equal(judged({}, plans).installPlanGeneration, 3);
  assert.equal(judged({ status: { lastUpdated: "", installPlanGeneration: 3 } }, plans).installPlanRef, undefined);
  assert.equal(judged({}, [named(orphan(lookup("a")), "p")]).installPlanRef, undefined);
});

test("an unreferenced plan that is too large for manifests, so that its steps refer to the bundle, is taken up", () => {
  const large = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "large" },
    data: { x: "x".repeat(inlineLimit) },
  };
  const { plan } = decided(shortCatalog({ "a/stable": ["a.v1 1.0.0"] }), ["s a/stable"]);
  const { object, status } = completed(plan({ "a.v1": present(csvNamed("a.v1"), [large]) }));
  assert.deepEqual(
    status.plan?.map(({ resource }) => JSON.parse(resource.manifest ?? "").kind),
    ["BundleReference.purser.dev", "BundleReference.purser.dev"],
  );
  assert.equal(taken({ ...object, status }), `${object.metadata.name} a.v1`);
});

test("taking a plan up removes what the ended process wrote before it made the plan", () => {
  const types = ["CatalogSourcesUnhealthy", "BundleUnpacking", "BundleUnpackFailed", "ResolutionFailed"] as const;
  const conditions = types.map((type) => ({ type, status: "True" as const }));
  const left = judged({ status: { lastUpdated: "", conditions } }, [orphan(lookup("a"))]);
  assert.deepEqual(
    left.conditions?.map(({ type }) => type),
    ["CatalogSourcesUnhealthy"],
  );
  const pointing = { lastUpdated: "", conditions, installPlanGeneration: 1 };
  assert.deepEqual(judged({ status: pointing }, [orphan(lookup("a"))]).conditions, conditions);
});

test("the mark of the plan that generated a Subscription gives it that plan only while it points at none", () => {
  const metadata = { ...subscription.metadata, annotations: { "olm.generated-by": "maker" } };
  const maker = named(orphan({}, "nobody"), "maker", 4);
  assert.equal(judged({ metadata }, [maker]).installPlanRef?.name, "maker");
  const pointing = { lastUpdated: "", installPlanRef: { name: "other" }, installPlanGeneration: 9 };
  assert.deepEqual(judged({ metadata, status: pointing }, [maker]), pointing);
  assert.equal(judged({}, [maker]).installPlanRef, undefined);
});

const failForward: OperatorGroup = {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "ns", name: "og" },
  spec: { upgradeStrategy: "TechPreviewUnsafeFailForward" },
};

for (const [what, groups, failed, state] of [
  ["its own plan failed and failing forward is allowed", [failForward], "own", "UpgradeFailed"],
  ["its own plan failed and failing forward is not allowed", [{ ...failForward, spec: {} }], "own", "UpgradePending"],
  ["another plan failed", [failForward], "other", "UpgradePending"],
] as const)
  test(`a Subscription whose CSV is missing is ${state} when ${what}`, () => {
    const status = { lastUpdated: "", currentCSV: "a.v1", installPlanRef: { name: "own" }, installPlanGeneration: 1 };
    const plans = ["own", "other"].map((name) =>
      named(orphan(name === failed ? { phase: "Failed" } : {}, "nobody"), name, 1),
    );
    assert.equal(judged({ status }, plans, groups).state, state);
  });

test("a dependency's Subscription takes over the plan that generated it, and stands where that plan stands", () => {
  const generated = (spec: object = {}): Subscription =>
    ({
      ...subscription,
      metadata: { ...subscription.metadata, annotations: { "olm.generated-by": "p" } },
      spec: { ...subscription.spec, ...spec },
    }) as Subscription;
  const plan = (phase: string, spec: object = {}) =>
    ({
      metadata: { namespace: "ns", name: "p", uid: "u", resourceVersion: "7" },
      spec,
      status: { phase },
    }) as unknown as InstallPlan;
  const forward = [
    { spec: { upgradeStrategy: "TechPreviewUnsafeFailForward" } },
  ] as unknown as readonly OperatorGroup[];
  const judged = (one: Subscription, plans: readonly InstallPlan[], groups: readonly OperatorGroup[] = []) =>
    judgeState(one, { csvs: [], groups, installPlans: plans });
  const reference = { apiVersion: "operators.coreos.com/v1alpha1", kind: "InstallPlan", name: "p" };
  const pending = {
    installPlanRef: { ...reference, namespace: "ns", uid: "u", resourceVersion: "7" },
    installplan: { ...reference, uuid: "u" },
    state: "UpgradePending",
  };
  assert.deepEqual(judged(generated(), []), { lastUpdated: "" });
  assert.deepEqual(judged(generated(), [plan("Installing")]), {
    lastUpdated: "",
    ...pending,
  });
  assert.deepEqual(judged(generated({ startingCSV: "a.v1" }), [plan("Complete", { generation: 3 })]), {
    lastUpdated: "",
    ...pending,
    currentCSV: "a.v1",
    installPlanGeneration: 3,
  });
  assert.equal(judged(generated(), [plan("Failed")]).state, "UpgradePending");
  assert.equal(judged(generated(), [plan("Failed")], forward).state, "UpgradeFailed");
  assert.equal(judged(generated({ startingCSV: "a.v1" }), [plan("Failed")], forward).state, "UpgradeFailed");
});
