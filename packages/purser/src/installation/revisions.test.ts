import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import type { Subscription } from "../apis/v0/subscription.ts";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { bundlesOfPlan } from "./plan-bundles.ts";
import { extensionRevisions, subscriptionRevisions } from "./revisions.ts";

const packageProperty = (value: object) => JSON.stringify({ properties: [{ type: "olm.package", value }] });

interface PlanFields {
  readonly generation?: number;
  readonly phase?: string;
  readonly namespace?: string;
  readonly packageName?: string;
  readonly version?: string;
  readonly approval?: string;
  readonly approved?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startTime?: string;
  readonly endTime?: string;
}

function planOf(name: string, csv: string, fields: PlanFields): InstallPlan {
  const { generation, phase, namespace = "ns", packageName = "op", version, approval = "Automatic" } = fields;
  const { approved = true, annotations, startTime, endTime } = fields;
  return {
    metadata: { name, namespace, annotations },
    spec: { generation, approval, approved, clusterServiceVersionNames: [csv] },
    status: {
      phase,
      startTime,
      bundleLookups: [{ identifier: csv, properties: packageProperty({ packageName, version }) }],
      conditions: [
        { type: "Other", lastTransitionTime: "2020-01-01T00:00:00Z" },
        ...(endTime === undefined ? [] : [{ type: "Installed", lastTransitionTime: endTime }]),
      ],
    },
  } as unknown as InstallPlan;
}

const subscription = (installedCSV?: string, plan?: string): Subscription =>
  ({
    metadata: { name: "sub", namespace: "ns" },
    spec: { name: "op" },
    status: { installedCSV, ...(plan === undefined ? {} : { installPlanRef: { name: plan } }) },
  }) as unknown as Subscription;

const approverOf = ({ metadata }: InstallPlan): string => `who approved ${metadata.name}`;
const [noon, later] = ["2026-01-01T12:00:00Z", "2026-01-01T12:01:30Z"];

test("the InstallPlans of a Subscription's package in its namespace are its revisions, the newest first", () => {
  const plans = [
    planOf("a", "op.v1", { generation: 1, phase: "Complete", version: "1.0.0", startTime: noon, endTime: later }),
    planOf("c", "op.v3", { generation: 3, phase: "RequiresApproval", approval: "Manual", approved: false }),
    planOf("b", "op.v2", {
      generation: 2,
      phase: "Complete",
      version: "2.0.0",
      approval: "Manual",
      annotations: { "purser.dev/plan": "sha256:1" },
      startTime: noon,
      endTime: "2026-01-01T11:00:00Z",
    }),
    planOf("far", "op.v9", { generation: 9, namespace: "elsewhere", phase: "Complete" }),
    planOf("other", "x.v1", { generation: 8, packageName: "x", phase: "Complete" }),
  ];
  assert.deepEqual(subscriptionRevisions(subscription("op.v2", "c"), plans, approverOf), [
    { revision: 3, name: "c", bundle: "op.v3", version: "", outcome: "waiting" },
    {
      revision: 2,
      name: "b",
      bundle: "op.v2",
      version: "2.0.0",
      outcome: "current",
      when: noon,
      tookSeconds: 0,
      approvedBy: "who approved b",
      plan: "sha256:1",
    },
    { revision: 1, name: "a", bundle: "op.v1", version: "1.0.0", outcome: "replaced", when: noon, tookSeconds: 90 },
  ]);
});

test("the outcome of an InstallPlan follows from its phase, and from whether the Subscription waits for it", () => {
  const outcome = (phase: string | undefined, installed: string | undefined, asked?: string): readonly unknown[] => {
    const plan = planOf("p", "op.v1", {
      generation: 1,
      startTime: noon,
      endTime: later,
      ...(phase === undefined ? {} : { phase }),
    });
    const [found] = subscriptionRevisions(subscription(installed, asked), [plan], approverOf);
    return [found?.outcome, found?.tookSeconds];
  };
  assert.deepEqual(
    [
      outcome("Complete", "op.v1"),
      outcome("Installing", "op.v1"),
      outcome("Failed", "op.v1"),
      outcome("Failed", undefined),
      outcome("Complete", "op.v2"),
      outcome("Installing", "op.v2"),
      outcome(undefined, "op.v2", "p"),
      outcome("", "op.v2", "p"),
      outcome("Planning", "op.v2", "p"),
      outcome("RequiresApproval", "op.v1", "p"),
      outcome("RequiresApproval", "op.v1", "q"),
      outcome("Planning", "op.v1"),
    ],
    [
      ["current", 90],
      ["current", 90],
      ["failed", 90],
      ["failed", 90],
      ["replaced", 90],
      ["installing", undefined],
      ["waiting", undefined],
      ["waiting", undefined],
      ["waiting", undefined],
      ["waiting", undefined],
      ["withdrawn", undefined],
      ["withdrawn", undefined],
    ],
  );
});

test("an InstallPlan whose version was rolled back by itself is reverted, a later one of that version is not", () => {
  const planAt = (generation: number, csv: string, startTime: string) =>
    planOf(`p${generation}`, csv, { generation, phase: "Complete", startTime });
  const record = { bundle: "op.v2", to: "op.v1", at: later, plan: "sha256:1", because: "late", uid: "u" };
  const back = (one: Subscription): Subscription => ({
    ...one,
    metadata: { ...one.metadata, annotations: { "purser.dev/rolled-back": JSON.stringify(record) } },
  });
  const plans = [planAt(1, "op.v1", noon), planAt(2, "op.v2", noon), planAt(3, "op.v2", "2027-01-01T00:00:00Z")];
  const outcomes = (installed: string, count: number) =>
    subscriptionRevisions(back(subscription(installed, undefined)), plans.slice(0, count), approverOf).map(
      (one) => `${one.bundle} ${one.outcome}`,
    );
  assert.deepEqual(outcomes("op.v1", 2), ["op.v2 reverted", "op.v1 current"]);
  assert.deepEqual(outcomes("op.v2", 3), ["op.v2 current", "op.v2 replaced", "op.v1 replaced"]);
});

test("an InstallPlan without generation is revision 0, and only an approval by hand names who approved", () => {
  const found = subscriptionRevisions(
    { ...subscription(), status: undefined } as unknown as Subscription,
    [
      planOf("auto", "op.v1", { approval: "Automatic", approved: true }),
      planOf("asked", "op.v1", { generation: 1, approval: "Manual", approved: false }),
      { metadata: { namespace: "ns" }, spec: {} } as unknown as InstallPlan,
    ],
    approverOf,
  );
  assert.deepEqual(found, [
    { revision: 1, name: "asked", bundle: "op.v1", version: "", outcome: "withdrawn" },
    { revision: 0, name: "auto", bundle: "op.v1", version: "", outcome: "withdrawn" },
  ]);
});

function setOf(
  name: string,
  fields: {
    readonly revision?: number;
    readonly state?: string;
    readonly succeeded?: string;
    readonly at?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly created?: string;
  },
): ClusterObjectSet {
  const { revision, state, succeeded, at, annotations, created } = fields;
  return {
    metadata: { name, annotations, creationTimestamp: created },
    spec: { revision, lifecycleState: state },
    status:
      succeeded === undefined
        ? undefined
        : { conditions: [{ type: "Succeeded", status: succeeded, lastTransitionTime: at }] },
  } as unknown as ClusterObjectSet;
}

test("the newest active ClusterObjectSet that succeeded is current; older ones were replaced, others install or were given up", () => {
  const annotations = {
    "olm.operatorframework.io/bundle-name": "op.v2",
    "olm.operatorframework.io/bundle-version": "2.0.0",
    "purser.dev/approved-by": "alice",
    "purser.dev/approved-plan": "sha256:2",
  };
  const sets = [
    setOf("e-1", { revision: 1, state: "Archived", succeeded: "True", at: later, created: noon }),
    setOf("e-2", { revision: 2, state: "Active", succeeded: "True", at: later, created: noon, annotations }),
    setOf("e-3", { revision: 3, state: "Archived", succeeded: "False", at: later, created: noon }),
    setOf("e-4", { revision: 4, state: "Active" }),
    setOf("e-0", { state: "Active", succeeded: "True", at: later }),
  ];
  assert.deepEqual(extensionRevisions(sets), [
    { revision: 4, name: "e-4", bundle: "", version: "", outcome: "installing" },
    { revision: 3, name: "e-3", bundle: "", version: "", outcome: "reverted", when: noon },
    {
      revision: 2,
      name: "e-2",
      bundle: "op.v2",
      version: "2.0.0",
      outcome: "current",
      when: noon,
      tookSeconds: 90,
      approvedBy: "alice",
      plan: "sha256:2",
    },
    { revision: 1, name: "e-1", bundle: "", version: "", outcome: "replaced", when: noon, tookSeconds: 90 },
    { revision: 0, name: "e-0", bundle: "", version: "", outcome: "replaced" },
  ]);
});

test("the bundles of an InstallPlan are its lookups, then the ClusterServiceVersions that it carries with properties", () => {
  const step = (kind: string, name: string, manifest?: string) => ({ resource: { kind, name, manifest } });
  const csv = (annotations: object | null) =>
    JSON.stringify({ metadata: annotations === null ? null : { annotations } });
  const carried = packageProperty({ packageName: "carried", version: "1.0.0" });
  const plan = (status: object | undefined) => ({ metadata: {}, spec: {}, status }) as unknown as InstallPlan;
  assert.deepEqual(
    bundlesOfPlan(
      plan({
        bundleLookups: [
          { identifier: "a", properties: packageProperty({ packageName: "a", version: "1" }) },
          { identifier: "b", properties: JSON.stringify({ properties: [null, { type: "x", value: {} }] }) },
          { identifier: "c", properties: packageProperty({ packageName: 1, version: null }) },
          { identifier: "d", properties: "no JSON" },
          { identifier: "e", properties: JSON.stringify({ properties: {} }) },
          { identifier: "f" },
          { identifier: "g", properties: JSON.stringify({ properties: [{ type: "olm.package", value: "g" }] }) },
        ],
        plan: [
          step("ClusterServiceVersion", "h", csv({ "operatorframework.io/properties": carried })),
          step("Deployment", "i", csv({ "operatorframework.io/properties": carried })),
          step("ClusterServiceVersion", "j", csv({ "operatorframework.io/properties": 1 })),
          step("ClusterServiceVersion", "k", csv(null)),
          step("ClusterServiceVersion", "l", "no JSON"),
          step("ClusterServiceVersion", "m"),
        ],
      }),
    ),
    [
      { csv: "a", packageName: "a", version: "1" },
      ...["b", "c", "d", "e", "f", "g"].map((name) => ({ csv: name })),
      { csv: "h", packageName: "carried", version: "1.0.0" },
    ],
  );
  assert.deepEqual(bundlesOfPlan(plan(undefined)), []);
});
