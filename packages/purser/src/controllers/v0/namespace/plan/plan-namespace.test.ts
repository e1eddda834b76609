import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogSource } from "../../../../apis/v0/catalog-source.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription, SubscriptionCondition } from "../../../../apis/v0/subscription.ts";
import { smallCsv } from "../../../../bundle/testing/small-bundle.ts";
import type { KnownContent } from "../../../../resolver/v0/install-plan/known-content.ts";
import { carriedCatalog } from "../../../../resolver/testing/carried-catalog.ts";
import type { ShortCatalog } from "../../../../resolver/testing/short-catalog.ts";
import { type Given, now, one, passOf, planOf, present, unpacked, worldOf } from "../testing/short-pass.ts";
import { plannedPass } from "../testing/planned-pass.ts";
import { collectInstallPlans } from "./collect-install-plans.ts";
import type { NamespaceWorld } from "./world.ts";
import { planNamespace } from "./plan-namespace.ts";

test("a namespace is resolved, then its bundles are requested, then the plan is created", () => {
  assert.deepEqual(passOf({}), {
    asked: ["resolution", "objects a.v1"],
    actions: ["make a.v1 for a=a.v1"],
    recheckAfterMs: undefined,
  });
});

test("resolution sees the priority of a catalog, 0 when it has none", () => {
  const world = worldOf({});
  const priorities = (spec: Partial<CatalogSource["spec"]>): readonly number[] => {
    const catalogs = world.catalogs.map((catalog) => ({
      ...catalog,
      source: { ...catalog.source, spec: { ...catalog.source.spec, ...spec } },
    }));
    const stage = planNamespace({ ...world, catalogs }, now);
    assert.ok("needs" in stage && stage.needs.kind === "resolution");
    return stage.needs.input.catalogs.map(({ priority }) => priority);
  };
  assert.deepEqual(priorities({}), [0]);
  assert.deepEqual(priorities({ priority: 7 }), [7]);
});

test("no content is requested while the state of a Subscription changes", () => {
  const moved = passOf({ subscriptions: ["a a/stable at=a.v1"], installed: ["a.v1 1.0.0 a"] });
  assert.deepEqual(moved, { asked: [], actions: ["show a AtLatestKnown"], recheckAfterMs: undefined });
});

test("a Subscription that waits for its plan requests no content", () => {
  const waiting = planOf("p", 1);
  const status = { state: "UpgradePending" as const, currentCSV: "a.v1", installPlanRef: { name: "p" } };
  const pass = passOf({ plans: [waiting], status });
  assert.deepEqual(pass.asked, []);
});

for (const [readingFor, asked, recheckAfterMs] of [
  [14_999, [], 5_000],
  [15_000, ["resolution"], 60_000],
] as const)
  test(`a catalog that is being read for ${readingFor} ms for the first time is ${asked.length === 0 ? "waited for" : "a fault"}`, () => {
    const pass = passOf({ catalog: "it is being read", readingFor });
    assert.deepEqual(pass.asked, asked);
    assert.equal(pass.recheckAfterMs, recheckAfterMs);
    assert.equal(pass.actions.length > 0, asked.length > 0);
  });

test("a transient failure is retried after a minute, an unsatisfiable resolution is not", () => {
  const error = passOf({ groups: ["x", "y"] });
  assert.deepEqual(error.actions, ["show a  ResolutionFailed=ErrorPreventedResolution", "announce ResolutionFailed"]);
  assert.equal(error.recheckAfterMs, 60_000);
  const unsatisfiable = passOf({ subscriptions: ["a other/stable"] });
  assert.deepEqual(unsatisfiable.actions, [
    "show a  ResolutionFailed=ConstraintsNotSatisfiable",
    "announce ResolutionFailed",
  ]);
  assert.equal(unsatisfiable.recheckAfterMs, undefined);
});

test("a refusal that every Subscription shows already is neither written nor announced again", () => {
  const given = { subscriptions: ["a other/stable"] };
  const first = plannedPass(worldOf(given), now, unpacked).plan.actions;
  const shown = first.flatMap((action) =>
    action.kind === "write" && action.write.verb === "replace"
      ? ((action.write.object as Subscription).status?.conditions ?? [])
      : [],
  );
  const failed = shown.filter(({ type }) => type === "ResolutionFailed");
  assert.equal(failed.length, 1);
  assert.deepEqual(passOf({ ...given, status: { conditions: failed } }).actions, []);
  const another = failed.map((condition) => ({ ...condition, message: "another one" }));
  assert.equal(passOf({ ...given, status: { conditions: another } }).actions.length, 2);
});

test("a bundle that the catalog carries and that makes no steps fails the resolution", () => {
  const catalog = carriedCatalog([{ package: "a", channel: "stable", line: "a.v1 1.0.0", csvSpec: { install: {} } }]);
  assert.deepEqual(passOf({ catalog }), {
    asked: ["resolution"],
    actions: ["show a  ResolutionFailed=ErrorPreventedResolution", "announce ResolutionFailed"],
    recheckAfterMs: 60_000,
  });
});

const unpacking: readonly (readonly [string, KnownContent, string, number, readonly string[]])[] = [
  ["is not there yet", { kind: "pending" }, "BundleUnpacking=UnpackingInProgress", 5_000, []],
  [
    "cannot be had",
    { kind: "unavailable", message: "m" },
    "BundleUnpackFailed=BundleUnpackFailed",
    300_000,
    ["announce BundleUnpackFailed of a"],
  ],
  [
    "is no bundle",
    { kind: "unreadable", message: "m" },
    "BundleUnpackFailed=BundleUnpackFailed",
    300_000,
    ["announce BundleUnpackFailed of a"],
  ],
  [
    "has no strategy",
    present(smallCsv({ install: {} })),
    "BundleUnpackFailed=BundleUnpackFailed",
    300_000,
    ["announce BundleUnpackFailed of a"],
  ],
  [
    "has a CSV without a kind",
    present({ ...smallCsv(), kind: "" }),
    "BundleUnpackFailed=ErrorPreventedUnpacking",
    300_000,
    [],
  ],
];
for (const [what, content, condition, recheckAfterMs, announced] of unpacking)
  test(`a bundle that ${what} shows ${condition} and is looked at again after ${recheckAfterMs} ms`, () => {
    const held: readonly SubscriptionCondition[] = [{ type: "ResolutionFailed", status: "True", reason: "Before" }];
    const pass = passOf({ status: { conditions: held } }, () => content);
    assert.deepEqual(pass.actions, [`show a  ${condition}`, ...announced]);
    assert.equal(pass.recheckAfterMs, recheckAfterMs);
  });

test("a bundle that cannot be had is announced on its Subscription once, and again with another text", () => {
  const missing = (): KnownContent => ({ kind: "unavailable", message: "m" });
  const shown = plannedPass(worldOf({}), now, missing).plan.actions.flatMap((action) =>
    action.kind === "write" && action.write.verb === "replace"
      ? ((action.write.object as Subscription).status?.conditions ?? [])
      : [],
  );
  const held = shown.filter(({ type }) => type === "BundleUnpackFailed");
  assert.equal(held.length, 1);
  const again = (conditions: readonly SubscriptionCondition[]) => passOf({ status: { conditions } }, missing).actions;
  assert.deepEqual(again(held), []);
  assert.deepEqual(again(held.map((condition) => ({ ...condition, message: "another one" }))), [
    "show a  BundleUnpackFailed=BundleUnpackFailed",
    "announce BundleUnpackFailed of a",
  ]);
});

test("the strict reader runs once for a bundle that yields no steps", () => {
  const broken = present(smallCsv({ install: {} }));
  const pass = passOf({}, ({ reading }) => {
    assert.ok(broken.kind === "present");
    const { diagnosis: _none, ...objects } = broken;
    return reading === "objects" ? objects : { ...objects, diagnosis: "csv.yaml:3: wrong" };
  });
  assert.deepEqual(pass.asked, ["resolution", "objects a.v1", "diagnosis a.v1"]);
  assert.deepEqual(pass.actions, ["show a  BundleUnpackFailed=BundleUnpackFailed", "announce BundleUnpackFailed of a"]);
});

test("a CSV that was deleted while its Subscription stays makes no plan, and its bundle is not waited for", () => {
  const status = {
    state: "UpgradePending" as const,
    conditions: [{ type: "BundleUnpacking", status: "True", reason: "UnpackingInProgress" }] as const,
  };
  const pass = (plansPer: "set" | "namespace") => passOf({ subscriptions: ["a a/stable at=a.v1"], status, plansPer });
  const actions = ["show a UpgradePending"];
  assert.deepEqual(pass("set"), { asked: ["resolution"], actions, recheckAfterMs: undefined });
  assert.deepEqual(pass("namespace"), { asked: ["resolution", "objects a.v1"], actions, recheckAfterMs: undefined });
});

test("Subscriptions that do not move lose what former passes showed of resolution", () => {
  const stale = (["ResolutionFailed", "BundleUnpacking", "BundleUnpackFailed"] as const).map((type) => ({
    type,
    status: "True" as const,
    reason: "Before",
  }));
  const catalog = { ...one, "b/stable": ["b.v1 1.0.0"] };
  const pass = passOf({
    catalog,
    subscriptions: ["a a/stable", "b b/stable at=b.v1"],
    installed: ["b.v1 1.0.0 b"],
    status: { state: "AtLatestKnown", conditions: stale },
  });
  assert.deepEqual(pass.actions, ["make a.v1 for a=a.v1", "show b AtLatestKnown"]);
});

test("a plan of an interrupted pass is reused for the same CSVs, but not for others or after it has ended", () => {
  const made = planOf("p", 1);
  const of = (plan: InstallPlan): readonly string[] => passOf({ plans: [plan] }).actions;
  assert.deepEqual(of(made), ["take a.v1 for a=a.v1"]);
  for (const other of [
    planOf("p", 1, { clusterServiceVersionNames: ["a.v0"] }),
    { ...made, status: { phase: "Failed", catalogSources: [] } as const },
    { ...made, status: { phase: "Complete", catalogSources: [] } as const },
    { ...made, metadata: { ...made.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    { ...made, metadata: { ...made.metadata, ownerReferences: [] } },
  ])
    assert.deepEqual(of(other), ["make a.v1 for a=a.v1"]);
});

const generations = (...numbers: readonly number[]): readonly InstallPlan[] =>
  numbers.map((generation) => ({
    ...planOf(`p${generation}`, generation),
    status: { phase: "Complete", catalogSources: [] },
  }));
const deleted = (given: Given): readonly string[] =>
  passOf(given).actions.filter((action) => action.startsWith("delete"));

test("five InstallPlans stay; of more the lowest generations are deleted, as numbers", () => {
  assert.deepEqual(deleted({ plans: generations(1, 2, 3, 4, 5) }), []);
  assert.deepEqual(deleted({ plans: generations(10, 2, 9, 3, 8, 4) }), ["delete p2"]);
  assert.deepEqual(deleted({ plans: generations(10, 11, 9, 100, 8, 20, 30) }), ["delete p8", "delete p9"]);
});

test("of plans of one generation the older one is deleted", () => {
  const [first, second, ...rest] = generations(1, 1, 2, 3, 4, 5) as [InstallPlan, InstallPlan, ...InstallPlan[]];
  const made = (plan: InstallPlan, name: string, creationTimestamp: string): InstallPlan => ({
    ...plan,
    metadata: { ...plan.metadata, name, creationTimestamp },
  });
  const plans = [made(first, "x", "2026-01-01T00:00:02Z"), made(second, "y", "2026-01-01T00:00:01Z"), ...rest];
  assert.deepEqual(deleted({ plans }), ["delete y"]);
});

test("an old plan that a Subscription references is kept, and no other is deleted in its place", () => {
  const status = { state: "UpgradePending" as const, currentCSV: "a.v1", installPlanRef: { name: "p1" } };
  assert.deepEqual(deleted({ plans: generations(1, 2, 3, 4, 5, 6), status }), []);
  assert.deepEqual(deleted({ plans: generations(1, 2, 3, 4, 5, 6, 7), status }), ["delete p2"]);
});

test("an old plan of an existing CSV is kept where upgrades may go back by themselves", () => {
  const [first, ...rest] = generations(1, 2, 3, 4, 5, 6, 7) as [InstallPlan, ...InstallPlan[]];
  const steps = [{ resolving: "a.v1" }] as unknown as NonNullable<InstallPlan["status"]>["plan"];
  const brought: InstallPlan = { ...first, status: { phase: "Complete", catalogSources: [], plan: steps ?? [] } };
  const world = (rollback: string) =>
    ({
      namespace: "ns",
      subscriptions: [],
      installPlans: [brought, ...rest],
      csvs: [{ metadata: { name: "a.v1" } }],
      policies: { updatePolicies: [{ spec: { rollback } }], clusterUpdatePolicies: [] },
    }) as unknown as NamespaceWorld;
  const names = (rollback: string) =>
    collectInstallPlans(world(rollback)).map((write) => write.verb === "delete" && write.key.name);
  assert.deepEqual(names("BeforeReady"), ["p2"]);
  assert.deepEqual(names("Checked"), ["p1", "p2"]);
});

test("an old plan that has not ended is kept, and no other is deleted in its place", () => {
  const [first, ...rest] = generations(1, 2, 3, 4, 5, 6, 7) as [InstallPlan, ...InstallPlan[]];
  const { status: _none, ...bare } = first;
  const oldest = (phase: NonNullable<InstallPlan["status"]>["phase"]): readonly InstallPlan[] => [
    { ...bare, status: { phase, catalogSources: [] } },
    ...rest,
  ];
  for (const phase of ["", "Planning", "RequiresApproval", "Installing"] as const)
    assert.deepEqual(deleted({ plans: oldest(phase) }), ["delete p2"], phase);
  assert.deepEqual(deleted({ plans: [bare, ...rest] }), ["delete p2"]);
  for (const phase of ["Complete", "Failed"] as const)
    assert.deepEqual(deleted({ plans: oldest(phase) }), ["delete p1", "delete p2"], phase);
});

test("old plans are deleted also when nothing is resolved", () => {
  const pass = passOf({ plans: generations(1, 2, 3, 4, 5, 6), catalog: "it is being read", readingFor: 0 });
  assert.deepEqual(pass.actions, ["delete p1"]);
  assert.equal(pass.recheckAfterMs, 5_000);
});

const upgradable: ShortCatalog = { "a/stable": ["a.v1 1.0.0", "a.v2 2.0.0 r=a.v1", "a.v3 3.0.0 r=a.v2"] };

/** A Subscription at `a.v2`, which replaces `a.v1`; both exist. */
const upgrading = (before: string, after: string, more: Partial<Given> = {}): Given => ({
  catalog: upgradable,
  subscriptions: ["a a/stable at=a.v2"],
  installed: [`a.v1 1.0.0 a phase=${before}`, `a.v2 2.0.0 a phase=${after} replaces=a.v1`],
  status: { state: "AtLatestKnown" },
  ...more,
});

for (const before of ["Succeeded", "Replacing", "Deleting"])
  for (const groups of [["og"], ["og failforward"]])
    test(`without --compat=replaced-operators a CSV in ${before} that a subscribed one replaces is no orphan (group ${groups.join()})`, () => {
      assert.deepEqual(passOf(upgrading(before, "Installing", { groups })).actions, []);
    });

test("with --compat=replaced-operators the CSV that is being replaced fails the resolution until it is deleted", () => {
  assert.deepEqual(passOf(upgrading("Replacing", "Installing", { orphans: true })).actions, [
    "show a AtLatestKnown ResolutionFailed=ConstraintsNotSatisfiable",
    "announce ResolutionFailed",
  ]);
});

test("an upgrade does not begin before the former one has ended, and other Subscriptions do not wait for it", () => {
  const given = upgrading("Replacing", "Installing", {
    catalog: { ...upgradable, "b/stable": ["b.v1 1.0.0"] },
    subscriptions: ["a a/stable at=a.v2", "b b/stable"],
  });
  assert.deepEqual(passOf(given).actions, ["make b.v1 for b=b.v1"]);
  const ended = upgrading("", "", { installed: ["a.v2 2.0.0 a replaces=a.v1"] });
  assert.deepEqual(passOf(ended).actions, ["make a.v3 for a=a.v3"]);
});

test("fail-forward upgrades a failed CSV only after the CSV that it replaces is in Replacing", () => {
  const groups = ["og failforward"];
  assert.deepEqual(passOf(upgrading("Replacing", "Failed", { groups })).actions, ["make a.v3 for a=a.v3"]);
  assert.deepEqual(passOf(upgrading("Failed", "Failed", { groups })).actions, []);
  assert.deepEqual(passOf(upgrading("Replacing", "Failed")).actions, []);
});

test("a CSV without a Subscription that no subscribed CSV replaces still fails the resolution", () => {
  for (const installed of [
    ["a.v1 1.0.0 a", "a.v2 2.0.0 a"],
    ["a.v1 1.0.0 a replaces=a.v2", "a.v2 2.0.0 a replaces=a.v1"],
    ["a.v1 1.0.0 a replaces=a.v2", "a.v2 2.0.0 a"],
  ])
    assert.deepEqual(passOf(upgrading("", "", { installed })).actions, [
      "show a AtLatestKnown ResolutionFailed=ConstraintsNotSatisfiable",
      "announce ResolutionFailed",
    ]);
});
