import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion, ClusterServiceVersionPhase } from "../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../apis/v0/labels.ts";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import type { Subscription, SubscriptionConditionType, SubscriptionStatus } from "../apis/v0/subscription.ts";
import type { ClusterExtension, ClusterExtensionStatus } from "../apis/v1/cluster-extension.ts";
import type { Installation, InstallationObjects } from "./installation.ts";
import { installationsOf } from "./installation.ts";

const at = "2026-01-01T00:00:00Z";
const nothing: InstallationObjects = { subscriptions: [], csvs: [], installPlans: [], extensions: [] };

const subscription = (status: Partial<SubscriptionStatus> | undefined): Subscription => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { name: "etcd", namespace: "data" },
  spec: { name: "etcd", source: "s", sourceNamespace: "olm" },
  ...(status === undefined ? {} : { status: { lastUpdated: at, ...status } }),
});
const csv = (name: string, phase: ClusterServiceVersionPhase, labels: Readonly<Record<string, string>> = {}) =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name, namespace: "data", uid: `uid-${name}`, labels },
    spec: { version: name.replace(/^.*\.v/, ""), displayName: name, install: { strategy: "deployment" } },
    status: { phase, message: `message of ${phase}`, lastTransitionTime: at },
  }) as unknown as ClusterServiceVersion;
const plan = (phase: NonNullable<InstallPlan["status"]>["phase"], approved: boolean): InstallPlan => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "InstallPlan",
  metadata: { name: "install-x", namespace: "data" },
  spec: { approval: "Manual", approved, clusterServiceVersionNames: ["etcd.v2.0.0"] },
  status: { phase, catalogSources: [], plan: [] },
});
const held = (type: SubscriptionConditionType, message: string): Partial<SubscriptionStatus> => ({
  conditions: [{ type, status: "True", message }],
});
const installed = { installedCSV: "etcd.v1.0.0", currentCSV: "etcd.v1.0.0" };
const moving = { installedCSV: "etcd.v1.0.0", currentCSV: "etcd.v2.0.0" };
const offered = { installPlanRef: { name: "install-x" } };
const only = (objects: Partial<InstallationObjects>): Installation => {
  const [first, ...others] = installationsOf({ ...nothing, ...objects });
  assert.equal(others.length, 0, JSON.stringify(others));
  return first ?? assert.fail("no installation");
};

const blockedPlan: InstallPlan = {
  ...plan("Installing", true),
  status: {
    ...plan("Installing", true).status,
    phase: "Installing",
    catalogSources: [],
    conditions: [{ type: "Installed", status: "False", message: "ObjectOwnedElsewhere: it belongs to another\nmore" }],
  },
};

const stalePlan: InstallPlan = {
  ...plan("RequiresApproval", true),
  status: {
    phase: "RequiresApproval",
    catalogSources: [],
    conditions: [
      { type: "Installed", status: "False", reason: "Other", message: "not this" },
      {
        type: "Installed",
        status: "False",
        reason: "PlanStale",
        message: "the changes differ from those that were approved",
      },
    ],
  },
};

const verdicts: readonly (readonly [
  what: string,
  status: Partial<SubscriptionStatus> | undefined,
  others: Partial<InstallationObjects>,
  state: Installation["state"],
  why: string,
])[] = [
  ["without status", undefined, {}, "Installing", ""],
  ["whose bundle is being read", held("BundleUnpacking", ""), {}, "Installing", "the bundle is being read"],
  ["that cannot be resolved", held("ResolutionFailed", "first\nsecond"), {}, "Blocked", "first"],
  ["whose bundle is missing", held("BundleUnpackFailed", "gone"), {}, "Blocked", "gone"],
  [
    "whose plan waits for approval",
    { ...moving, ...offered },
    { csvs: [csv("etcd.v1.0.0", "Succeeded")], installPlans: [plan("RequiresApproval", false)] },
    "Approve",
    "InstallPlan install-x is pending approval",
  ],
  [
    "whose plan waits for approval because a policy asks for it",
    { ...moving, ...offered },
    {
      csvs: [csv("etcd.v1.0.0", "Succeeded")],
      installPlans: [
        {
          ...plan("RequiresApproval", false),
          metadata: {
            name: "install-x",
            namespace: "data",
            annotations: { "purser.dev/approval-asked": "UpdatePolicy data/prod: minor upgrades need approval" },
          },
        },
      ],
    },
    "Approve",
    "InstallPlan install-x is pending approval (UpdatePolicy data/prod: minor upgrades need approval)",
  ],
  [
    "whose plan was just approved",
    { ...moving, ...offered },
    { csvs: [csv("etcd.v1.0.0", "Succeeded")], installPlans: [plan("RequiresApproval", true)] },
    "Upgrading",
    "etcd.v2.0.0",
  ],
  [
    "that waits for approval while it does not run",
    { ...moving, ...offered },
    { csvs: [csv("etcd.v1.0.0", "Installing")], installPlans: [plan("RequiresApproval", false)] },
    "Approve",
    "InstallPlan install-x is pending approval; etcd.v1.0.0 is Installing: message of Installing",
  ],
  [
    "whose plan cannot go on, with the plan's reason",
    { currentCSV: "etcd.v1.0.0", ...offered },
    { installPlans: [blockedPlan] },
    "Blocked",
    "ObjectOwnedElsewhere: it belongs to another",
  ],
  [
    "whose approval no longer fits what would change, with the plan's reason",
    { ...moving, ...offered },
    { csvs: [csv("etcd.v1.0.0", "Succeeded")], installPlans: [stalePlan] },
    "Approve",
    "the changes differ from those that were approved",
  ],
  ["on its way to its first version", { currentCSV: "etcd.v1.0.0" }, {}, "Installing", "etcd.v1.0.0"],
  ["whose plan failed", { ...installed, ...held("InstallPlanFailed", "no RBAC") }, {}, "Failed", "no RBAC"],
  ["whose CSV succeeded", installed, { csvs: [csv("etcd.v1.0.0", "Succeeded")] }, "Ready", ""],
  ["whose CSV failed", installed, { csvs: [csv("etcd.v1.0.0", "Failed")] }, "Failed", "message of Failed"],
  ["whose CSV is pending", installed, { csvs: [csv("etcd.v1.0.0", "Pending")] }, "Installing", "message of Pending"],
  [
    "whose CSV is being replaced",
    installed,
    { csvs: [csv("etcd.v1.0.0", "Replacing")] },
    "Upgrading",
    "message of Replacing",
  ],
];
for (const [what, status, others, state, why] of verdicts) {
  test(`a Subscription ${what} is ${state}`, () => {
    const one = only({ subscriptions: [subscription(status)], ...others });
    assert.deepEqual([one.reference, one.state, one.why], ["sub/data/etcd", state, why]);
  });
}

test("an upgrade shows the installed and the new version", () => {
  const one = only({
    subscriptions: [subscription(moving)],
    csvs: [csv("etcd.v1.0.0", "Replacing"), csv("etcd.v2.0.0", "Installing")],
  });
  assert.deepEqual([one.bundle, one.version, one.target], ["etcd.v1.0.0", "1.0.0", "etcd.v2.0.0"]);
});

test("the deprecation of a package is shown", () => {
  const one = only({
    subscriptions: [subscription({ ...installed, ...held("Deprecated", "use another") })],
    csvs: [csv("etcd.v1.0.0", "Succeeded")],
  });
  assert.deepEqual([one.state, one.deprecated], ["Ready", "use another"]);
});

test("a CSV without a Subscription is an orphan, except copied CSVs and those in phase Deleting", () => {
  const one = only({
    csvs: [
      csv("lost.v1.0.0", "Succeeded"),
      csv("copy.v1.0.0", "Succeeded", { [copiedFromLabel]: "elsewhere" }),
      csv("old.v1.0.0", "Deleting"),
    ],
  });
  assert.deepEqual([one.reference, one.state], ["csv/data/lost.v1.0.0", "Orphan"]);
});

const extension = (status: ClusterExtensionStatus | undefined, deletionTimestamp?: string): ClusterExtension => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "etcd", ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: { namespace: "data", source: { sourceType: "Catalog", catalog: { packageName: "etcd" } } },
  ...(status === undefined ? {} : { status }),
});
const condition = (type: string, status: "True" | "False" | "Unknown", reason: string, message = "") => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at,
});
const install = { bundle: { name: "etcd.v1.0.0", version: "1.0.0" } };

const extensionVerdicts: readonly (readonly [
  what: string,
  status: ClusterExtensionStatus | undefined,
  state: Installation["state"],
  why: string,
])[] = [
  ["without status", undefined, "Installing", ""],
  ["that reached its state", { install, conditions: [condition("Progressing", "True", "Succeeded")] }, "Ready", ""],
  [
    "whose objects are not available",
    {
      install,
      conditions: [
        condition("Progressing", "True", "Succeeded"),
        condition("Available", "False", "ProbeFailure", "no pods"),
      ],
    },
    "Degraded",
    "no pods",
  ],
  [
    "that rolls out its first revision",
    { conditions: [condition("Progressing", "True", "RollingOut", "r")] },
    "Installing",
    "r",
  ],
  [
    "that rolls out a later one",
    { install, conditions: [condition("Progressing", "True", "RollingOut", "r")] },
    "Upgrading",
    "r",
  ],
  [
    "whose installed revision broke",
    {
      install,
      activeRevisions: [{ name: "etcd-1" }],
      conditions: [
        condition("Progressing", "True", "RollingOut", "r"),
        condition("Available", "False", "X", "no pods"),
      ],
    },
    "Degraded",
    "no pods",
  ],
  [
    "whose later revision does not get up",
    {
      install,
      activeRevisions: [
        { name: "etcd-1" },
        { name: "etcd-2", conditions: [condition("Available", "False", "X", "no pods")] },
      ],
      conditions: [condition("Progressing", "True", "RollingOut", "r"), condition("Available", "True", "X")],
    },
    "Upgrading",
    "no pods",
  ],
  [
    "that is refused",
    { install, conditions: [condition("Progressing", "True", "Retrying", "NoVersionInRange: x\ny")] },
    "Blocked",
    "NoVersionInRange: x",
  ],
  ["that gave up", { conditions: [condition("Progressing", "False", "Blocked", "terminal")] }, "Failed", "terminal"],
];
for (const [what, status, state, why] of extensionVerdicts) {
  test(`an extension ${what} is ${state}`, () => {
    const one = only({ extensions: [extension(status)] });
    assert.deepEqual([one.reference, one.state, one.why], ["ext/etcd", state, why]);
  });
}

test("an extension is in its state since its readiness changed, not since it began to progress", () => {
  const ready = { ...condition("Ready", "False", "NoUpgradePath"), lastTransitionTime: "2026-01-01T01:00:00Z" };
  const stalled = { ...condition("Stalled", "True", "NoUpgradePath"), lastTransitionTime: "2026-01-01T02:00:00Z" };
  const conditions = [condition("Progressing", "True", "Retrying", "NoUpgradePath: x"), ready, stalled];
  assert.equal(only({ extensions: [extension({ install, conditions })] }).since, "2026-01-01T02:00:00Z");
  assert.equal(only({ extensions: [extension({ install, conditions: conditions.slice(0, 1) })] }).since, at);
});

test("the deprecation of a channel is only shown for extensions that name channels", () => {
  const conditions = [
    condition("Deprecated", "True", "Deprecated", "the channel\nthe bundle"),
    condition("ChannelDeprecated", "True", "Deprecated", "the channel"),
    condition("BundleDeprecated", "True", "Deprecated", "the bundle"),
  ];
  const named = extension({ install, conditions });
  const source = { sourceType: "Catalog", catalog: { packageName: "etcd", channels: ["stable"] } } as const;
  assert.equal(only({ extensions: [named] }).deprecated, "the bundle");
  assert.equal(
    only({ extensions: [{ ...named, spec: { namespace: "data", source } }] }).deprecated,
    "the channel\nthe bundle",
  );
});

test("an extension that is being deleted is Removing, whatever its conditions", () => {
  const status = { install, conditions: [condition("Progressing", "True", "Succeeded")] };
  assert.equal(only({ extensions: [extension(status, at)] }).state, "Removing");
});

test("a paused extension is Paused since its readiness shows it, whatever else it shows, and Removing when it is deleted", () => {
  const later = "2026-01-01T03:00:00Z";
  const ready = { ...condition("Ready", "False", "Paused"), lastTransitionTime: later };
  const one = extension({ install, conditions: [condition("Progressing", "True", "Retrying", "x"), ready] });
  const annotated = (value: string, more: Partial<ClusterExtension["metadata"]> = {}): Installation =>
    only({
      extensions: [{ ...one, metadata: { ...one.metadata, annotations: { "purser.dev/paused": value }, ...more } }],
    });
  const { state, why, since } = annotated("true");
  assert.deepEqual([state, why, since], ["Paused", "to continue: purser resume ext/etcd", later]);
  assert.equal(annotated("false").state, "Blocked");
  assert.equal(annotated("true", { deletionTimestamp: at }).state, "Removing");
});

test("extensions come first, then Subscriptions by namespace and name", () => {
  const references = installationsOf({
    ...nothing,
    subscriptions: [subscription(undefined)],
    csvs: [csv("a.v1", "Succeeded")],
    extensions: [extension(undefined)],
  }).map(({ reference }) => reference);
  assert.deepEqual(references, ["ext/etcd", "csv/data/a.v1", "sub/data/etcd"]);
});

const stall = { stuckSince: "2025-01-01T00:00:00Z", blockedBy: "b", nextRetry: "n" };
const stallText = "stuckSince 2025-01-01T00:00:00Z; blockedBy b; nextRetry n";

test("what an object cannot get past is shown with it, of both families and of an orphan", () => {
  const refused = [
    { type: "ResolutionFailed", status: "True", message: "m" },
    { type: "Stalled", status: "True", reason: "r", message: stallText },
  ] as const;
  const blocked = only({ subscriptions: [subscription({ conditions: refused })] });
  assert.deepEqual([blocked.state, blocked.since, blocked.stuck], ["Blocked", stall.stuckSince, stall]);
  const failed = only({
    subscriptions: [subscription({ ...installed, conditions: [refused[1]] })],
    csvs: [csv("etcd.v1.0.0", "Failed")],
  });
  assert.deepEqual([failed.state, failed.since, failed.stuck], ["Failed", at, stall]);
  const retried = only({
    subscriptions: [subscription({ ...installed, conditions: [refused[1]] })],
    csvs: [csv("etcd.v1.0.0", "Pending")],
  });
  assert.deepEqual([retried.state, retried.since, retried.stuck], ["Installing", at, stall]);
  const lone = csv("etcd.v1.0.0", "Failed");
  const annotations = { "purser.dev/state": JSON.stringify({ state: "Stalled", reason: "r", ...stall }) };
  assert.deepEqual(only({ csvs: [{ ...lone, metadata: { ...lone.metadata, annotations } }] }).stuck, stall);
  const conditions = [
    { type: "Stalled", status: "True", reason: "r", message: stallText, lastTransitionTime: at },
    { type: "Progressing", status: "False", reason: "Blocked", message: "m", lastTransitionTime: at },
  ];
  const extension = {
    metadata: { name: "e" },
    spec: { namespace: "n", source: { sourceType: "Catalog", catalog: { packageName: "p" } } },
    status: { conditions },
  } as unknown as ClusterExtension;
  assert.deepEqual(only({ extensions: [extension] }).stuck, stall);
});
