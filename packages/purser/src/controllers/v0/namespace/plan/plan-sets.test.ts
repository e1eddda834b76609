import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan, InstallPlanPhase } from "../../../../apis/v0/install-plan.ts";
import {
  contentKey,
  type KnownContent,
  type WantedContent,
} from "../../../../resolver/v0/install-plan/known-content.ts";
import { plannedPass } from "../testing/planned-pass.ts";
import { type Given, now, passOf, planOf, unpacked, worldOf } from "../testing/short-pass.ts";

/** `c` requires what `b` provides. */
const catalog = {
  "a/stable": ["a.v1 1.0.0"],
  "b/stable": ["b.v1 1.0.0 P=K"],
  "c/stable": ["c.v1 1.0.0 R=K"],
};
const three: Given = { catalog, subscriptions: ["a a", "c c"] };

test("without --compat=namespace-plans what hangs together gets one InstallPlan, what does not gets its own", () => {
  assert.deepEqual(passOf(three).actions, ["make a.v1 for a=a.v1", "make b.v1 c.v1 for c=c.v1"]);
});

test("with --compat=namespace-plans a namespace gets one InstallPlan", () => {
  assert.deepEqual(passOf({ ...three, plansPer: "namespace" }).actions, ["make a.v1 b.v1 c.v1 for a=a.v1 c=c.v1"]);
});

/** The InstallPlans that a pass makes: name, approval, generation and owners. */
function plansOf(given: Given, manual: readonly string[] = []): readonly string[] {
  const world = worldOf(given);
  const subscriptions = world.subscriptions.map((subscription) =>
    manual.includes(subscription.metadata.name ?? "")
      ? { ...subscription, spec: { ...subscription.spec, installPlanApproval: "Manual" as const } }
      : subscription,
  );
  return plannedPass({ ...world, subscriptions }, now, unpacked).plan.actions.flatMap((action) => {
    if (action.kind !== "installPlans") return [];
    return action.plans.map(({ wanted }) => {
      const { metadata, spec } = wanted.object;
      const owners = metadata.ownerReferences?.map(({ name }) => name) ?? [];
      return `${spec.clusterServiceVersionNames.join(" ")}: ${spec.approval} ${spec.generation} of ${owners.join(" ")}`;
    });
  });
}

test("each InstallPlan has a generation of its own, and waits for the approval of its own Subscriptions only", () => {
  assert.deepEqual(plansOf(three, ["c"]), ["a.v1: Automatic 1 of a", "b.v1 c.v1: Manual 2 of c"]);
  assert.deepEqual(plansOf({ ...three, plans: [planOf("old", 7)] }), [
    "a.v1: Automatic 8 of a",
    "b.v1 c.v1: Automatic 9 of c",
  ]);
  assert.deepEqual(plansOf({ ...three, plansPer: "namespace" }, ["c"]), ["a.v1 b.v1 c.v1: Manual 1 of a c"]);
});

test("an installed operator that asks for approval makes what depends on it wait", () => {
  const given: Given = { catalog, subscriptions: ["b b at=b.v1", "c c"], installed: ["b.v1 1.0.0 b P=K"] };
  const status = { state: "AtLatestKnown" } as const;
  assert.deepEqual(plansOf({ ...given, status }, ["b"]), ["c.v1: Manual 1 of b c"]);
});

test("the InstallPlan of a Subscription that was deleted and made again has another name than the one that is being deleted", () => {
  const nameFor = (uid: string): string | undefined => {
    const world = worldOf({ subscriptions: ["a a"] });
    const subscriptions = world.subscriptions.map((each) => ({ ...each, metadata: { ...each.metadata, uid } }));
    const [made] = plannedPass({ ...world, subscriptions }, now, unpacked).plan.actions;
    return made?.kind === "installPlans" ? made.plans[0]?.wanted.object.metadata.name : undefined;
  };
  assert.match(nameFor("one") ?? "", /^install-/);
  assert.equal(nameFor("one"), nameFor("one"));
  assert.notEqual(nameFor("one"), nameFor("other"));
});

const bad =
  (content: KnownContent) =>
  (wanted: WantedContent): KnownContent =>
    wanted.bundle.name === "a.v1" ? content : unpacked(wanted);

test("a bundle that is not there yet or cannot be had holds up only what depends on it", () => {
  assert.deepEqual(passOf(three, bad({ kind: "pending" })), {
    asked: ["resolution", "objects a.v1", "objects b.v1", "objects c.v1"],
    actions: ["make b.v1 c.v1 for c=c.v1", "show a  BundleUnpacking=UnpackingInProgress"],
    recheckAfterMs: 5_000,
  });
  const refused = passOf(three, bad({ kind: "unavailable", message: "m" }));
  assert.deepEqual(refused.actions, [
    "make b.v1 c.v1 for c=c.v1",
    "show a  BundleUnpackFailed=BundleUnpackFailed",
    "announce BundleUnpackFailed of a",
  ]);
  assert.equal(refused.recheckAfterMs, 300_000);
  const whole = passOf({ ...three, plansPer: "namespace" }, bad({ kind: "unavailable", message: "m" }));
  assert.deepEqual(whole.actions, [
    "show a  BundleUnpackFailed=BundleUnpackFailed",
    "show c  BundleUnpackFailed=BundleUnpackFailed",
    "announce BundleUnpackFailed of a",
    "announce BundleUnpackFailed of c",
  ]);
});

test("a bundle is asked for although the bundles of another set are there already", () => {
  const first = new Map<string, KnownContent>();
  plannedPass(worldOf(three), now, (wanted) => {
    if (wanted.bundle.name !== "a.v1") first.set(contentKey(wanted.bundle), unpacked(wanted));
    return unpacked(wanted);
  });
  assert.equal(first.size, 2);
  assert.deepEqual(plannedPass({ ...worldOf(three), contents: first }, now, unpacked).asked, [
    "resolution",
    "objects a.v1",
  ]);
});

/** Subscription `a` waits for its InstallPlan of `a.v1`, which is in that phase; the catalog has `a.v2` by now. */
function waiting(phase: InstallPlanPhase, others: readonly string[], plansPer?: Given["plansPer"]): readonly string[] {
  const newer = { ...catalog, "a/stable": ["a.v1 1.0.0", "a.v2 2.0.0 r=a.v1"] };
  const plan: InstallPlan = { ...planOf("p", 1), status: { phase, catalogSources: [] } };
  const world = worldOf({
    catalog: newer,
    subscriptions: ["a a", ...others],
    plans: [plan],
    ...(plansPer === undefined ? {} : { plansPer }),
  });
  const subscriptions = world.subscriptions.map((subscription) => {
    if (subscription.metadata.name !== "a" || subscription.status === undefined) return subscription;
    const installPlanRef = { name: "p" };
    const status = {
      ...subscription.status,
      state: "UpgradePending" as const,
      currentCSV: "a.v1",
      installPlanRef,
      installPlanGeneration: 1,
    };
    return { ...subscription, status };
  });
  return plannedPass({ ...world, subscriptions }, now, unpacked).plan.actions.flatMap((action) =>
    action.kind === "installPlans"
      ? action.plans.map(({ wanted }) => wanted.object.spec.clusterServiceVersionNames.join(" "))
      : [],
  );
}

test("a Subscription that waits for its InstallPlan gets no other because a neighbour moves", () => {
  assert.deepEqual(waiting("RequiresApproval", ["c c"]), ["b.v1 c.v1"]);
  assert.deepEqual(waiting("Installing", ["c c"]), ["b.v1 c.v1"]);
  assert.deepEqual(waiting("RequiresApproval", ["c c"], "namespace"), ["a.v2 b.v1 c.v1"]);
});

test("a Subscription that waits for its InstallPlan gets no other because an operator that it requires is at rest", () => {
  const newer = { ...catalog, "c/stable": ["c.v1 1.0.0 R=K", "c.v2 2.0.0 r=c.v1 R=K"] };
  const world = worldOf({
    catalog: newer,
    subscriptions: ["b b at=b.v1", "c c at=c.v1"],
    installed: ["b.v1 1.0.0 b P=K"],
    plans: [{ ...planOf("p", 1), status: { phase: "RequiresApproval", catalogSources: [] } }],
  });
  const subscriptions = world.subscriptions.map((subscription) => {
    const { status = { lastUpdated: "" } } = subscription;
    return subscription.metadata.name === "b"
      ? { ...subscription, status: { ...status, state: "AtLatestKnown" as const } }
      : { ...subscription, status: { ...status, state: "UpgradePending" as const, installPlanRef: { name: "p" } } };
  });
  const made = (plansPer: "set" | "namespace"): readonly string[] =>
    plannedPass({ ...world, subscriptions, plansPer }, now, unpacked).plan.actions.flatMap((action) =>
      action.kind === "installPlans"
        ? action.plans.map(({ wanted }) => wanted.object.spec.clusterServiceVersionNames.join(" "))
        : [],
    );
  assert.deepEqual(made("set"), []);
  assert.deepEqual(made("namespace"), ["c.v2"]);
});

test("an InstallPlan that failed is left for a newer version without a neighbour that moves", () => {
  assert.deepEqual(waiting("Failed", []), ["a.v2"]);
  assert.deepEqual(waiting("Failed", [], "namespace"), []);
});

test("an InstallPlan that failed is not made again for the same version", () => {
  const status = { state: "UpgradePending" as const, currentCSV: "a.v1", installPlanRef: { name: "p" } };
  const failed: InstallPlan = { ...planOf("p", 1), status: { phase: "Failed", catalogSources: [] } };
  const { asked, actions } = passOf({ catalog, subscriptions: ["a a"], plans: [failed], status });
  assert.deepEqual(asked, ["resolution"]);
  assert.deepEqual(
    actions.filter((action) => action.startsWith("make")),
    [],
  );
});

test("an interrupted pass takes up the InstallPlan of one set, which belongs to fewer Subscriptions than the namespace has", () => {
  assert.deepEqual(passOf({ ...three, plans: [planOf("p", 1)] }).actions, [
    "take a.v1 for a=a.v1",
    "make b.v1 c.v1 for c=c.v1",
  ]);
});
