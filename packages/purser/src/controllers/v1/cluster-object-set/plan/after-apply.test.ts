import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import { clusterRoles, configMaps, deployments } from "@purser/kubernetes/apis/resources";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { ObjectSetOutcome } from "../../../../rollout/plan/object-set-outcome.ts";
import { afterApply } from "./after-apply.ts";
import type { ObjectSetWorld } from "./world.ts";

const created = "2026-01-01T00:00:00Z";
const now = Date.parse("2026-01-01T00:04:00Z");

function revisionOf(number: number, change: Partial<ClusterObjectSet["spec"] & object> = {}): ClusterObjectSet {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: {
      name: `ext-${number}`,
      uid: `uid-${number}`,
      generation: 1,
      creationTimestamp: created,
      annotations: { "olm.operatorframework.io/bundle-version": `${number}.0.0` },
    },
    spec: { lifecycleState: "Active", revision: number, collisionProtection: "Prevent", ...change },
  };
}

const shown = (type: string, status: Condition["status"], reason: string, message: string): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: created,
  observedGeneration: 1,
});
const withStatus = (revision: ClusterObjectSet, ...conditions: readonly Condition[]): ClusterObjectSet => ({
  ...revision,
  status: { conditions },
});

/** Their texts stand in `object-set-readiness.test.ts`. */
const readiness: readonly string[] = ["Ready", "Reconciling", "Stalled"];

/** One line per condition (except those of readiness), event and written object, then recheck time, retry and watches. */
function linesOf(world: ObjectSetWorld, outcome: ObjectSetOutcome): readonly string[] {
  const { actions, recheckAfterMs, watches, retry } = afterApply(world, outcome, now);
  const lines = actions.flatMap((action): readonly string[] => {
    if (action.kind !== "write") return [action.kind];
    const { write, event } = action;
    if (write.verb === "patch") return [`patch ${write.key.name} ${JSON.stringify(write.patch)}`];
    if (write.verb !== "replace") return [write.verb];
    const { conditions = [], observedPhases } = write.object.status as NonNullable<ClusterObjectSet["status"]>;
    return [
      ...conditions
        .filter(({ type }) => !readiness.includes(type))
        .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`),
      ...(observedPhases ?? []).map(({ name, digest }) => `pinned ${name} ${digest}`),
      ...(event === undefined ? [] : [`event ${event.type} ${event.reason}`]),
    ];
  });
  return [
    ...lines,
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(watches === undefined || watches.length === 0
      ? []
      : [`watch ${watches.map(({ plural }) => plural).join(", ")}`]),
    `again after ${(recheckAfterMs ?? 0) / 1000} s`,
  ];
}

const content = [{ name: "deploy", digest: "sha256:aa" }];
const types = [configMaps, deployments];
const alone = (revision: ClusterObjectSet): ObjectSetWorld => ({ revision, family: [revision] });
const first = revisionOf(1);
const available = shown("Available", "True", "ProbesSucceeded", "Objects are available and pass all probes.");
const succeeded = shown("Succeeded", "True", "Succeeded", "Revision succeeded rolling out.");
const rolled = shown("Progressing", "True", "Succeeded", "Revision 1.0.0 has rolled out.");
const ready = [
  shown("Ready", "True", "Succeeded", "All objects of the revision are available"),
  shown("Reconciling", "False", "Succeeded", ""),
  shown("Stalled", "False", "Succeeded", ""),
];
const collision = {
  live: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace: "ns",
      name: "taken",
      labels: { "olm.owner": "op.v1", "olm.owner.namespace": "ns", "olm.owner.kind": "ClusterServiceVersion" },
    },
  },
  managers: ["catalog"],
};
const ofExtension = {
  live: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace: "ns",
      name: "taken",
      labels: { "olm.operatorframework.io/owner-name": "other" },
      ownerReferences: [
        {
          apiVersion: "olm.operatorframework.io/v1",
          kind: "ClusterObjectSet",
          name: "other-1",
          uid: "u",
          controller: true,
        },
      ],
    },
  },
  managers: [],
};
const deadline = revisionOf(1, { progressDeadlineMinutes: 10 });
const late = {
  ...deadline,
  metadata: { ...deadline.metadata, creationTimestamp: "2025-12-31T23:54:00Z" },
};
const rollingOut = { kind: "rollingOut", faults: ["Object Deployment.apps/v1 ns/d: x"], content, types } as const;

const table: readonly (readonly [string, ObjectSetWorld, ObjectSetOutcome, readonly string[]])[] = [
  [
    "objects that are ready",
    alone(first),
    { kind: "complete", content, types },
    [
      "Progressing=True Succeeded: Revision 1.0.0 has rolled out.",
      "Available=True ProbesSucceeded: Objects are available and pass all probes.",
      "Succeeded=True Succeeded: Revision succeeded rolling out.",
      "pinned deploy sha256:aa",
      "event Normal Succeeded",
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "objects that are ready, of which some were not read",
    alone(first),
    { kind: "complete", content, types, isSkimmed: true },
    [
      "Progressing=True Succeeded: Revision 1.0.0 has rolled out.",
      "Available=True ProbesSucceeded: Objects are available and pass all probes.",
      "Succeeded=True Succeeded: Revision succeeded rolling out.",
      "pinned deploy sha256:aa",
      "event Normal Succeeded",
      "watch configmaps, deployments",
      "again after 3 s",
    ],
  ],
  [
    "objects that are still ready",
    alone({
      ...withStatus(first, rolled, available, succeeded),
      status: { conditions: [rolled, available, succeeded, ...ready], observedPhases: content },
    }),
    { kind: "complete", content, types },
    ["watch configmaps, deployments", "again after 600 s"],
  ],
  [
    "a certificate that is due in a minute",
    alone(withStatus(first, rolled, available, succeeded)),
    { kind: "complete", content: [], types: [], rotateAt: now + 60_000 },
    [
      "Progressing=True Succeeded: Revision 1.0.0 has rolled out.",
      "Available=True ProbesSucceeded: Objects are available and pass all probes.",
      "Succeeded=True Succeeded: Revision succeeded rolling out.",
      "again after 60 s",
    ],
  ],
  [
    "a complete upgrade of several revisions, one of which leaves and one of which is newer",
    {
      revision: withStatus(revisionOf(4), rolled),
      family: [
        revisionOf(1),
        revisionOf(2),
        { ...revisionOf(3), metadata: { ...revisionOf(3).metadata, deletionTimestamp: created } },
        withStatus(revisionOf(4), rolled),
        revisionOf(5),
        revisionOf(0, { lifecycleState: "Archived" }),
      ],
    },
    { kind: "complete", content, types },
    [
      "Progressing=True Succeeded: Revision 4.0.0 has rolled out.",
      "Available=True ProbesSucceeded: Objects are available and pass all probes.",
      "Succeeded=True Succeeded: Revision succeeded rolling out.",
      "pinned deploy sha256:aa",
      "event Normal Succeeded",
      'patch ext-1 {"spec":{"lifecycleState":"Archived"}}',
      'patch ext-2 {"spec":{"lifecycleState":"Archived"}}',
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "an object that is not ready",
    alone(first),
    rollingOut,
    [
      "Available=False ProbeFailure: Object Deployment.apps/v1 ns/d: x",
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
      "pinned deploy sha256:aa",
      "event Normal RollingOut",
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "objects of two phases that are not ready",
    alone(first),
    { ...rollingOut, faults: ["Object Service.v1 ns/s: a and b", "Object ConfigMap.v1 ns/c: d"] },
    [
      "Available=False ProbeFailure: Object Service.v1 ns/s: a and b\nObject ConfigMap.v1 ns/c: d",
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
      "pinned deploy sha256:aa",
      "event Normal RollingOut",
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "a pass that was not completed although every probe passes",
    alone(first),
    { ...rollingOut, faults: [] },
    [
      "Available=False RollingOut: Revision 1.0.0 is rolling out.",
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
      "pinned deploy sha256:aa",
      "event Normal RollingOut",
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "an object that was ready once",
    alone(withStatus(first, rolled, available, succeeded)),
    rollingOut,
    [
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
      "Available=False ProbeFailure: Object Deployment.apps/v1 ns/d: x",
      "Succeeded=True Succeeded: Revision succeeded rolling out.",
      "pinned deploy sha256:aa",
      "event Normal RollingOut",
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "an object that is not ready six minutes before the deadline",
    alone(deadline),
    rollingOut,
    [
      "Available=False ProbeFailure: Object Deployment.apps/v1 ns/d: x",
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
      "pinned deploy sha256:aa",
      "event Normal RollingOut",
      "watch configmaps, deployments",
      "again after 360 s",
    ],
  ],
  [
    "an object that is not ready when the deadline has just come",
    alone(late),
    rollingOut,
    [
      "Available=False ProbeFailure: Object Deployment.apps/v1 ns/d: x",
      "Progressing=False ProgressDeadlineExceeded: Revision has not rolled out for 10 minute(s). Last status: Revision 1.0.0 is rolling out.",
      "pinned deploy sha256:aa",
      "event Warning ProgressDeadlineExceeded",
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "an object that fails after the deadline of a revision that had succeeded",
    alone(withStatus(late, succeeded)),
    rollingOut,
    [
      "Succeeded=True Succeeded: Revision succeeded rolling out.",
      "Available=False ProbeFailure: Object Deployment.apps/v1 ns/d: x",
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
      "pinned deploy sha256:aa",
      "event Normal RollingOut",
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "a refused write",
    alone(first),
    { kind: "refused", errors: ["one", "two"], missing: [], content, types },
    [
      "Progressing=True Retrying: one\ntwo",
      "pinned deploy sha256:aa",
      "event Warning Retrying",
      "retry: one\ntwo",
      "watch configmaps, deployments",
      "again after 600 s",
    ],
  ],
  [
    "a refused write of what was available, two minutes before the deadline",
    alone(
      withStatus(
        { ...deadline, metadata: { ...deadline.metadata, creationTimestamp: "2025-12-31T23:56:00Z" } },
        available,
      ),
    ),
    { kind: "refused", errors: ["one"], missing: [], content, types: [clusterRoles] },
    [
      "Available=Unknown Reconciling: one",
      "Progressing=True Retrying: one",
      "pinned deploy sha256:aa",
      "event Warning Retrying",
      "retry: one",
      "watch clusterroles",
      "again after 120 s",
    ],
  ],
  [
    "an object whose namespace does not exist",
    alone(first),
    {
      kind: "refused",
      errors: ['namespaces "ns" not found'],
      missing: [{ kind: "namespace", name: "ns" }],
      content,
      types,
    },
    [
      'Progressing=True Retrying: RolloutFailed: Namespace "ns" does not exist. Create it: kubectl create namespace ns\nnamespaces "ns" not found',
      "pinned deploy sha256:aa",
      "event Warning Retrying",
      'retry: namespaces "ns" not found',
      "watch configmaps, deployments, namespaces",
      "again after 30 s",
    ],
  ],
  [
    "objects of kinds that are not served",
    alone(first),
    {
      kind: "refused",
      errors: ["no A", "no B", "no A"],
      missing: ["A", "B", "A"].map((served) => ({ kind: "api", apiVersion: "g.io/v1", served })),
      content,
      types,
    },
    [
      "Progressing=True Retrying: ClusterIncompatible: The cluster does not serve kind A of g.io/v1 and kind B of g.io/v1. Install the package that provides kind A of g.io/v1; to find packages that name it: purser search A\nno A\nno B\nno A",
      "pinned deploy sha256:aa",
      "event Warning Retrying",
      "retry: no A\nno B\nno A",
      "watch configmaps, deployments, customresourcedefinitions",
      "again after 30 s",
    ],
  ],
  [
    "an object with another owner",
    alone(withStatus(first, available)),
    { kind: "collided", phase: 3, collisions: [collision], content, types },
    [
      "Available=True ProbesSucceeded: Objects are available and pass all probes.",
      [
        'Progressing=True Retrying: ObjectOwnedElsewhere: ConfigMap "taken" exists already and belongs to ClusterServiceVersion "ns/op.v1". Uninstall ClusterServiceVersion "ns/op.v1"',
        "revision object collisions in phase 3",
        "Object ConfigMap.v1 ns/taken",
        'Action: "Collision"',
        'Owner: ClusterServiceVersion "ns/op.v1"',
        "Field managers: catalog",
      ].join("\n"),
      "pinned deploy sha256:aa",
      "event Warning Retrying",
      "watch configmaps, deployments",
      "again after 10 s",
    ],
  ],
  [
    "an object of another extension",
    alone(first),
    { kind: "collided", phase: 0, collisions: [ofExtension], content, types },
    [
      [
        'Progressing=True Retrying: ObjectOwnedElsewhere: ConfigMap "taken" exists already and belongs to ClusterExtension "other". Uninstall ClusterExtension "other", with those of its CustomResourceDefinitions that hold no objects: purser uninstall ext/other --mode unused',
        "revision object collisions in phase 0",
        "Object ConfigMap.v1 ns/taken",
        'Action: "Collision"',
        'Owner: ClusterObjectSet "other-1"',
      ].join("\n"),
      "pinned deploy sha256:aa",
      "event Warning Retrying",
      "watch configmaps, deployments",
      "again after 10 s",
    ],
  ],
  [
    "content that may not be applied",
    alone(first),
    { kind: "invalid", message: "revision validation error: x", content },
    [
      "Progressing=True Retrying: revision validation error: x",
      "pinned deploy sha256:aa",
      "event Warning Retrying",
      "again after 10 s",
    ],
  ],
  [
    "content that changed, after the deadline",
    alone({ ...late, status: { observedPhases: [{ name: "deploy", digest: "sha256:00" }] } }),
    { kind: "blocked", message: "resolved content of 1 phase(s) has changed" },
    [
      "Progressing=False Blocked: resolved content of 1 phase(s) has changed",
      "pinned deploy sha256:00",
      "event Warning Blocked",
      "again after 10 s",
    ],
  ],
  [
    "content that cannot be read",
    alone(first),
    { kind: "unresolved", message: 'resolving ref in phase "a": b' },
    [
      'Progressing=True Retrying: resolving ref in phase "a": b',
      "event Warning Retrying",
      'retry: resolving ref in phase "a": b',
      "again after 600 s",
    ],
  ],
  [
    "an archived revision whose objects are going",
    alone(withStatus(revisionOf(1, { lifecycleState: "Archived" }), available)),
    { kind: "tearingDown", types: [deployments] },
    [
      "Available=True ProbesSucceeded: Objects are available and pass all probes.",
      "Progressing=True Retrying: removing revision resources that are not owned by another revision",
      "event Normal Archiving",
      "watch deployments",
      "again after 5 s",
    ],
  ],
  [
    "an archived revision whose objects are deleted, after the deadline",
    alone({ ...late, spec: { ...revisionOf(1).spec, lifecycleState: "Archived" } as never }),
    { kind: "tornDown" },
    [
      "Progressing=False Archived: revision is archived",
      "Available=Unknown Archived: revision is archived",
      "event Normal Archived",
      "again after 600 s",
    ],
  ],
];

for (const [what, world, outcome, expected] of table)
  test(`after ${what} the status reports the outcome and the recheck time is set`, () => {
    assert.deepEqual(linesOf(world, outcome), expected);
  });

test("with plain texts a collision shows OLM's text alone", () => {
  const [progress] = linesOf(
    { ...alone(first), hasPlainTexts: true },
    { kind: "collided", phase: 0, collisions: [collision], content, types },
  );
  assert.equal(
    progress,
    'Progressing=True Retrying: revision object collisions in phase 0\nObject ConfigMap.v1 ns/taken\nAction: "Collision"\nOwner: ClusterServiceVersion "ns/op.v1"\nField managers: catalog',
  );
});

test("an upgrade that meets objects of another extension proposes the installed version, not an archived one", () => {
  const labels = { "olm.operatorframework.io/owner-name": "ext" };
  const second = { ...revisionOf(2), metadata: { ...revisionOf(2).metadata, labels } };
  const installed = withStatus(first, succeeded);
  const archived = withStatus(revisionOf(0, { lifecycleState: "Archived" }), succeeded);
  const outcome: ObjectSetOutcome = { kind: "collided", phase: 0, collisions: [ofExtension], content, types };
  const remedyOf = (...family: readonly ClusterObjectSet[]) =>
    /\. ([^\n]+)\n/.exec(linesOf({ revision: second, family }, outcome)[0] ?? "")?.[1];
  assert.match(remedyOf(installed, second, archived) ?? "", /^Stay at version 1\.0\.0: kubectl patch /);
  assert.match(remedyOf(second, archived, first) ?? "", /^Delete ClusterExtension "ext"; /);
});

test("a revision that no extension owns shows at once that it begins and ends, and after three seconds what it waits for", () => {
  const young = (createdAt: string, waitsFor: string): ClusterObjectSet => {
    const metadata = { ...first.metadata, creationTimestamp: createdAt };
    const set = { ...first, metadata };
    const { actions } = afterApply(alone(set), { ...rollingOut, faults: [waitsFor] }, now);
    const [begun] = actions;
    assert.ok(begun?.kind === "write" && begun.write.verb === "replace", "that it begins is written");
    return { ...set, status: begun.write.object.status as NonNullable<ClusterObjectSet["status"]> };
  };
  const stage = (set: ClusterObjectSet, outcome: ObjectSetOutcome): readonly unknown[] => {
    const { actions, recheckAfterMs } = afterApply(alone(set), outcome, now);
    return [actions.length, recheckAfterMs];
  };
  const at = "2026-01-01T00:03:59Z";
  assert.deepEqual(stage(young(at, "one"), { ...rollingOut, faults: ["two"] }), [0, 2_000]);
  assert.deepEqual(stage(young(at, "one"), { kind: "complete", content, types }), [1, 600_000]);
  assert.deepEqual(
    stage(young(at, "one"), { kind: "refused", errors: ["no"], missing: [], content, types }),
    [1, 600_000],
  );
  for (const other of ["2026-01-01T00:03:57Z", "2026-01-01T00:04:01Z"])
    assert.equal(stage(young(other, "one"), { ...rollingOut, faults: ["two"] })[0], 1, `created at ${other}`);
});

test("a young revision of an extension, which shows that it rolls out, shows only faults and its end, and after three seconds all", () => {
  const owned = (creationTimestamp: string): ClusterObjectSet => {
    const labels = { "olm.operatorframework.io/owner-name": "ext" };
    const { status: _status, ...revision } = first;
    return { ...revision, metadata: { ...revision.metadata, labels, creationTimestamp } };
  };
  const after = (creationTimestamp: string, outcome: ObjectSetOutcome): readonly unknown[] => {
    const { actions, recheckAfterMs } = afterApply(alone(owned(creationTimestamp)), outcome, now);
    return [actions.length, recheckAfterMs];
  };
  const [young, older] = ["2026-01-01T00:03:59Z", "2026-01-01T00:03:57Z"];
  assert.deepEqual(after(young, { ...rollingOut, faults: ["one"] }), [0, 2_000]);
  assert.deepEqual(after(older, { ...rollingOut, faults: ["one"] }), [1, 600_000]);
  assert.deepEqual(after(young, { kind: "complete", content, types }), [1, 600_000]);
  assert.deepEqual(after(young, { kind: "refused", errors: ["no"], missing: [], content, types }), [1, 600_000]);
});

test("three seconds count from the first look at a revision where many wait for each other", () => {
  const at = "2026-01-01T00:00:00Z";
  const labels = { "olm.operatorframework.io/owner-name": "ext" };
  const { status: _status, ...revision } = first;
  const old = { ...revision, metadata: { ...revision.metadata, labels, creationTimestamp: at } };
  const left = (firstLookAt?: number): readonly unknown[] => {
    const world = { ...alone(old), ...(firstLookAt === undefined ? {} : { firstLookAt }) };
    const { actions, recheckAfterMs } = afterApply(world, { ...rollingOut, faults: ["one"] }, now);
    return [actions.length, recheckAfterMs];
  };
  assert.deepEqual([left(), left(now - 3_000)], Array(2).fill([1, 600_000]));
  assert.deepEqual(
    [left(now), left(now - 1_500)],
    [
      [0, 3_000],
      [0, 1_500],
    ],
  );
});

test("the messages of a revision with many obstacles are as long as its definition allows", () => {
  const collisions = Array.from({ length: 900 }, () => collision);
  const plan = afterApply(alone(first), { kind: "collided", phase: 0, collisions, content, types }, now);
  const [write] = plan.actions.flatMap((action) => (action.kind === "write" ? [action.write] : []));
  const object = write?.verb === "replace" ? (write.object as unknown as ClusterObjectSet) : undefined;
  const lengths = (object?.status?.conditions ?? []).map(({ message }) => message.length);
  assert.equal(Math.max(...lengths), 32_768);
});
