import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { rolledBackText } from "../../../../apis/policy/rolled-back.ts";
import type { RollbackDecision } from "../../../plan/automatic-rollback.ts";
import { rollbacksOf } from "./rolled-back-subscriptions.ts";
import type { Shown } from "./shown-status.ts";
import type { NamespaceWorld } from "./world.ts";

const begun = Date.parse("2026-01-01T00:00:00Z");
const minuteMs = 60_000;
const record = {
  bundle: "op.v2",
  to: "op.v1",
  at: "2026-01-01T00:10:00Z",
  plan: "sha256:1",
  because: "late",
  uid: "2",
};

type Phases = readonly (readonly [string, number?])[];
/** A CSV that had these `PHASE/REASON`s, with minutes at which it got them. */
function csv(version: number, phases: Phases, metadata: object = {}): ClusterServiceVersion {
  const conditions = phases.map(([text, at = 0]) => {
    const [phase, reason = ""] = text.split("/");
    return { phase, reason, lastUpdateTime: new Date(begun + at * minuteMs).toISOString() };
  });
  return {
    metadata: { name: `op.v${version}`, uid: `${version}`, creationTimestamp: "2026-01-01T00:00:00Z", ...metadata },
    spec: { replaces: `op.v${version - 1}`, install: { strategy: "deployment" } },
    status: { ...conditions.at(-1), conditions },
  } as unknown as ClusterServiceVersion;
}

/** The same with Deployments that state this time for their progress. */
const taking = (one: ClusterServiceVersion, ...seconds: readonly (number | undefined)[]): ClusterServiceVersion => ({
  ...one,
  spec: {
    ...one.spec,
    install: {
      strategy: "deployment",
      spec: {
        deployments: seconds.map((progressDeadlineSeconds) => ({ name: "d", spec: { progressDeadlineSeconds } })),
      },
    },
  } as unknown as ClusterServiceVersion["spec"],
});

const former = csv(1, [["Succeeded"], ["Replacing"]]);
const failing = csv(2, [["Pending"], ["Installing"], ["Failed", 5]]);

function plan(name: string, generation: number, version: number, phase = "Complete") {
  const names = [`op.v${version}`];
  return {
    metadata: { name },
    spec: { generation, clusterServiceVersionNames: names },
    status: { phase, plan: [{ resolving: names[0] }] },
  };
}

interface Given {
  readonly csvs?: readonly ClusterServiceVersion[];
  readonly minutes?: number;
  readonly rollback?: string;
  readonly group?: object;
  readonly annotations?: object;
  readonly decision?: RollbackDecision;
  readonly current?: string;
  readonly plans?: readonly object[];
  readonly conditions?: readonly object[];
}

function judged({
  csvs = [former, failing],
  minutes = 11,
  rollback = "BeforeReady",
  group = {},
  annotations = {},
  decision,
  current = "op.v2",
  plans = [plan("old", 1, 1), plan("new", 2, 2)],
  conditions = [],
}: Given) {
  const subscription = { metadata: { namespace: "ns", name: "op", annotations }, spec: { name: "op" } };
  const status = {
    installedCSV: current,
    currentCSV: current,
    installPlanRef: { name: "new" },
    installPlanGeneration: 2,
    state: "AtLatestKnown",
    conditions,
  };
  const world = {
    csvs,
    groups: [{ spec: group }],
    installPlans: plans,
    policies: {
      updatePolicies: [{ metadata: { namespace: "ns", name: "p" }, spec: { rollback } }],
      clusterUpdatePolicies: [],
    },
    ...(decision === undefined ? {} : { rollbacks: new Map([["op", decision]]) }),
  } as unknown as NamespaceWorld;
  return rollbacksOf(world, [{ subscription, status } as unknown as Shown], begun + minutes * minuteMs);
}

/** `past FROM by PLAN -> TO by PLAN`, `waits MINUTES`, `going` or `nothing`. */
function standing(given: Given): string {
  const { unknown, until, isGoing } = judged(given);
  const [one] = unknown;
  if (one !== undefined) {
    const side = (version: ClusterServiceVersion, brought: typeof one.fromPlan) =>
      `${version.metadata.name} by ${brought?.metadata.name ?? "none"}`;
    return `past ${side(one.from, one.fromPlan)} -> ${side(one.to, one.toPlan)}`;
  }
  if (until !== Infinity) return `waits ${(until - begun) / minuteMs}`;
  return isGoing ? "going" : "nothing";
}

const late = "past op.v2 by new -> op.v1 by old";
const forbidden = "Pending/OperatorConditionNotUpgradeable";
const rolledBack = { "purser.dev/rolled-back": rolledBackText(record) };
const table: readonly (readonly [string, Given, string])[] = [
  ["before ten minutes", { minutes: 9 }, "waits 10"],
  ["after ten minutes", { minutes: 10 }, late],
  [
    "whose slowest Deployment states 25 minutes",
    { csvs: [former, taking(failing, 60, 1441)], minutes: 24 },
    "waits 25",
  ],
  ["whose slowest Deployment stated 25 minutes", { csvs: [former, taking(failing, 60, 1441)], minutes: 25 }, late],
  [
    "whose Deployments state a minute, or nothing",
    { csvs: [former, taking(failing, 60, undefined)], minutes: 9 },
    "waits 10",
  ],
  ["where a policy says Checked", { rollback: "Checked" }, "nothing"],
  ["in a namespace that fails forward", { group: { upgradeStrategy: "TechPreviewUnsafeFailForward" } }, "nothing"],
  ["that succeeded", { csvs: [csv(1, [["Succeeded"], ["Deleting"]]), csv(2, [["Succeeded"]])] }, "nothing"],
  ["that succeeded and failed later", { csvs: [former, csv(2, [["Succeeded"], ["Failed", 5]])] }, "nothing"],
  ["from a version that never succeeded", { csvs: [csv(1, [["Failed"], ["Replacing"]]), failing] }, "nothing"],
  ["that is no upgrade", { csvs: [failing] }, "nothing"],
  ["that has not begun to replace", { csvs: [csv(1, [["Succeeded"]]), failing] }, "nothing"],
  ["that its operator forbids", { csvs: [former, csv(2, [["Pending"], [forbidden]])] }, "nothing"],
  [
    "that its operator allowed after eight minutes",
    { csvs: [former, csv(2, [[forbidden], ["Pending/RequirementsUnknown", 8]])] },
    "waits 18",
  ],
  [
    "whose first phases are not recorded any more",
    {
      csvs: [
        former,
        csv(
          2,
          Array.from({ length: 20 }, (): readonly [string, number] => ["Failed", 9]),
        ),
      ],
    },
    late,
  ],
  ["in a chain of hops", { csvs: [former, failing, csv(3, [["Pending"]])], current: "op.v3" }, late],
  [
    "whose former version has an InstallPlan that has not ended",
    { plans: [plan("old", 1, 1, "Installing"), plan("new", 2, 2, "Failed")] },
    "past op.v2 by new -> op.v1 by none",
  ],
  ["that is deleted", { csvs: [former, csv(2, [["Failed"]], { deletionTimestamp: "x" })] }, "nothing"],
  ["that goes back", { annotations: rolledBack, minutes: 12 }, "going"],
  [
    "of the same version as an earlier one that went back",
    { annotations: rolledBack, csvs: [former, csv(2, [["Failed"]], { uid: "again" })] },
    late,
  ],
];
for (const [what, given, expected] of table)
  test(`an upgrade ${what}: ${expected}`, () => assert.equal(standing(given), expected));

test("a rollback begins with its event and the record, and shows nothing else in that pass", () => {
  const { begin, shown } = judged({ decision: { kind: "due", rolledBack: record } });
  const sentence = "op.v2 was late, so at 2026-01-01T00:10:00Z it was rolled back to op.v1 by the plan sha256:1";
  const lines = begin.map((action) => {
    if (action.kind === "announce") return `${action.reason} ${action.message}`;
    return action.kind === "write" && action.write.verb === "patch" ? action.write.patch : action.kind;
  });
  assert.deepEqual(lines, [
    `RolledBack ${sentence}; it is held back until: purser unhold sub/ns/op`,
    { metadata: { annotations: { "purser.dev/rolled-back": JSON.stringify(record) } } },
  ]);
  assert.equal(shown[0]?.status.currentCSV, "op.v2");
});

test("a refused rollback is a condition, and nothing is written", () => {
  const explanation = { code: "CrdUnsafe", summary: "op.v2 stays", facts: {}, derivation: [], remedies: [] } as const;
  const { begin, leave, shown } = judged({ decision: { kind: "refused", explanation } });
  assert.deepEqual([begin, leave], [[], []]);
  assert.deepEqual(shown[0]?.status.conditions, [
    {
      type: "RolledBack",
      status: "False",
      reason: "CrdUnsafe",
      message: "op.v2 stays",
      lastTransitionTime: "2026-01-01T00:11:00Z",
    },
  ]);
});

test("a Subscription that goes back shows the former version, its InstallPlan and why", () => {
  const { shown, leave } = judged({ annotations: rolledBack });
  const { currentCSV, installedCSV, installPlanRef, installPlanGeneration, conditions } = shown[0]?.status ?? {};
  assert.deepEqual(
    [currentCSV, installedCSV, installPlanRef?.name, installPlanGeneration],
    ["op.v1", "op.v1", "old", 2],
  );
  assert.deepEqual(
    conditions?.map(({ type, status, reason }) => [type, status, reason]),
    [["RolledBack", "True", "BeforeReady"]],
  );
  // The steps of the InstallPlan come first.
  assert.deepEqual(leave, []);
});

test("without an InstallPlan of the former version the newer ones are left at once, that of the record last", () => {
  const csvs = [former, failing, csv(3, [["Pending"]])];
  const { leave } = judged({ annotations: rolledBack, csvs, plans: [], current: "op.v3" });
  assert.deepEqual(
    leave.map((action) => action.kind === "write" && action.write.verb === "patch" && action.write.key.name),
    ["op.v3", "op.v2"],
  );
});

test("the condition goes when another version is installed", () => {
  const conditions = [{ type: "RolledBack", status: "True" }];
  const csvs = [csv(3, [["Succeeded"]])];
  const { shown } = judged({ annotations: rolledBack, csvs, current: "op.v3", conditions });
  assert.deepEqual(shown[0]?.status.conditions, []);
});
