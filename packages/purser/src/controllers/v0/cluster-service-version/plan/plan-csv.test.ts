import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  ClusterServiceVersion,
  ClusterServiceVersionStatus,
} from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { type Departure, planDeparture } from "./departure.ts";
import { planCsv } from "./plan-csv.ts";
import { csvAt, failForward, group, member, namespace, now, type Phase, worldOf } from "./testing/csv-world.ts";
import type { CsvWorld } from "./world.ts";

/** `Phase/Reason` that the pass moves to; `-` when it stays. */
function next(world: CsvWorld, at = now): string {
  for (const action of planCsv(world, at).actions)
    if (action.kind === "status" && action.announce !== undefined)
      return `${action.status.phase}/${action.status.reason}`;
  return "-";
}

const second: OperatorGroup = { ...group, metadata: { namespace, name: "second", uid: "second" } };
const older = csvAt("op.v1", "Succeeded", "InstallSucceeded");
const newer = (phase: Phase): ClusterServiceVersion => csvAt("op.v2", phase, "", "op.v1");
const needsCrd = (csv: ClusterServiceVersion): ClusterServiceVersion => ({
  ...csv,
  spec: {
    ...csv.spec,
    customresourcedefinitions: { required: [{ name: "as.g.io", version: "v1", kind: "A" }] },
  },
});
const owning = (csv: ClusterServiceVersion): ClusterServiceVersion => ({
  ...csv,
  metadata: { ...csv.metadata, annotations: member },
  spec: { ...csv.spec, nativeAPIs: [] },
});

const withStrategy = (csv: ClusterServiceVersion, strategy: string): ClusterServiceVersion => ({
  ...csv,
  spec: { ...csv.spec, install: { ...csv.spec.install, strategy } },
});
const longAgo = (csv: ClusterServiceVersion): ClusterServiceVersion => ({
  ...csv,
  status: { ...csv.status, certsRotateAt: "2020-01-01T00:00:00Z" } as ClusterServiceVersionStatus,
});
const invalid = "Failed/InvalidInstallStrategy";

const table: readonly (readonly [string, CsvWorld, string])[] = [
  ["an unknown strategy before the install", worldOf(withStrategy(csvAt("op.v1", "InstallReady"), "helm")), invalid],
  ["an unknown strategy while Deployments start", worldOf(withStrategy(csvAt("op.v1", "Installing"), "helm")), invalid],
  ["no strategy while Deployments start", worldOf(withStrategy(csvAt("op.v1", "Installing"), "")), invalid],
  ["an unknown strategy of what runs", worldOf(withStrategy(longAgo(older), "Deployment")), invalid],
  ["an unknown strategy of what failed", worldOf(withStrategy(csvAt("op.v1", "Failed", "X"), "helm")), invalid],
  ["a new CSV", worldOf(csvAt("op.v1", "")), "Pending/RequirementsUnknown"],
  ["a CSV without a group", worldOf(csvAt("op.v1", "Succeeded"), { groups: [] }), "Failed/NoOperatorGroup"],
  [
    "a CSV between two groups",
    worldOf(csvAt("op.v1", "Succeeded"), { groups: [group, second] }),
    "Failed/TooManyOperatorGroups",
  ],
  [
    "a CSV that already has the reason TooManyOperatorGroups",
    worldOf(csvAt("op.v1", "Failed", "TooManyOperatorGroups"), { groups: [group, second] }),
    "-",
  ],
  [
    "a CSV whose second group was deleted",
    worldOf(csvAt("op.v1", "Failed", "TooManyOperatorGroups")),
    "Pending/RequirementsUnknown",
  ],
  ["a pending CSV with all that it needs", worldOf(csvAt("op.v1", "Pending")), "InstallReady/AllRequirementsMet"],
  [
    "a pending CSV without a CRD that it needs",
    worldOf(needsCrd(csvAt("op.v1", "Pending"))),
    "Pending/RequirementsNotMet",
  ],
  [
    "a pending CSV that claims an API of the lifecycle manager and lacks a CRD",
    worldOf(needsCrd(csvAt("op.v1", "Pending")), { reservedApis: ["as.purser.dev"] }),
    "Failed/OwnerConflict",
  ],
  [
    "a failed CSV that claims an API of the lifecycle manager and lacks a CRD",
    worldOf(needsCrd(csvAt("op.v1", "Failed", "ComponentUnhealthy")), { reservedApis: ["as.purser.dev"] }),
    "Failed/OwnerConflict",
  ],
  ["a running CSV that lost a CRD", worldOf(needsCrd(csvAt("op.v1", "Succeeded"))), "Failed/RequirementsNotMet"],
  [
    "a failed CSV that lacks a CRD",
    worldOf(needsCrd(csvAt("op.v1", "Failed", "ComponentUnhealthy"))),
    "Pending/RequirementsNotMet",
  ],
  ["a CSV whose predecessor still runs", worldOf(newer("Pending"), { siblings: [older, newer("Pending")] }), "-"],
  [
    "a CSV whose predecessor steps aside",
    worldOf(newer("Pending"), { siblings: [csvAt("op.v1", "Replacing"), newer("Pending")] }),
    "InstallReady/AllRequirementsMet",
  ],
  [
    "a running CSV with a successor",
    worldOf(older, { siblings: [older, newer("Pending")] }),
    "Replacing/BeingReplaced",
  ],
  [
    "a replaced CSV whose successor is not there yet",
    worldOf(csvAt("op.v1", "Replacing"), { siblings: [csvAt("op.v1", "Replacing"), newer("Installing")] }),
    "-",
  ],
  [
    "a replaced CSV whose successor runs",
    worldOf(csvAt("op.v1", "Replacing"), { siblings: [csvAt("op.v1", "Replacing"), newer("Succeeded")] }),
    "Deleting/Replaced",
  ],
  ["a replaced CSV whose successor was deleted", worldOf(csvAt("op.v1", "Replacing")), "Pending/RequirementsUnknown"],
  [
    "a failed CSV with a successor",
    worldOf(csvAt("op.v1", "Failed", "ComponentUnhealthy"), { siblings: [csvAt("op.v1", "Failed"), newer("Pending")] }),
    "Succeeded/InstallSucceeded",
  ],
  [
    "a failed CSV with a successor where failing forward is allowed",
    worldOf(csvAt("op.v1", "Failed", "ComponentUnhealthy"), {
      siblings: [csvAt("op.v1", "Failed"), newer("Pending")],
      groups: [failForward],
      allGroups: [failForward],
    }),
    "Replacing/BeingReplaced",
  ],
  [
    "an install that was denied ten minutes ago",
    worldOf(csvAt("op.v1", "Failed", "InstallComponentFailedNoRetry")),
    "Pending/DetectedClusterChange",
  ],
  [
    "a CSV that supports none of its group's targets",
    worldOf({ ...csvAt("op.v1", "Pending"), spec: { ...csvAt("op.v1", "").spec, installModes: [] } }),
    "Failed/UnsupportedOperatorGroup",
  ],
  [
    "a CSV whose group selects no namespace",
    worldOf(owning(csvAt("op.v1", "Succeeded")), {
      groups: [
        {
          ...group,
          spec: { selector: { matchLabels: { a: "b" } } },
          status: { namespaces: [], lastUpdated: "" },
        },
      ],
    }),
    "Failed/NoTargetNamespaces",
  ],
];

for (const [what, world, expected] of table)
  test(`${what} ${expected === "-" ? "stays as it is" : `goes to ${expected}`}`, () => {
    assert.equal(next(world), expected);
  });

test("a group whose selector matches no namespace removes the targets from its CSVs, and a global one writes the empty text", () => {
  const annotationsWritten = (spec: OperatorGroup["spec"], namespaces: readonly string[]): unknown => {
    const of: OperatorGroup = { ...group, spec: spec ?? {}, status: { namespaces, lastUpdated: "" } };
    const [action] = planCsv(worldOf(csvAt("op.v1", "Succeeded"), { groups: [of], allGroups: [of] }), now).actions;
    assert.ok(action?.kind === "write" && action.write.verb === "patch");
    const { metadata } = action.write.patch as { readonly metadata: { readonly annotations: Record<string, unknown> } };
    return metadata.annotations["olm.targetNamespaces"];
  };
  assert.equal(annotationsWritten({ selector: { matchLabels: { a: "b" } } }, []), null);
  assert.equal(annotationsWritten({}, [""]), "");
});

test("a CSV without targets of a group that selects no namespace stays as it is", () => {
  const { "olm.targetNamespaces": _targets, ...annotations } = member;
  const csv = csvAt("op.v1", "Failed", "NoTargetNamespaces");
  const of: OperatorGroup = {
    ...group,
    spec: { selector: { matchLabels: { a: "b" } } },
    status: { namespaces: [], lastUpdated: "" },
  };
  const message = "no targetNamespaces are matched operatorgroups namespace selection";
  const settled = { ...csv, metadata: { ...csv.metadata, annotations }, status: { ...csv.status, message } };
  const world = worldOf(settled as ClusterServiceVersion, { groups: [of], allGroups: [of] });
  assert.deepEqual(planCsv(world, now), { actions: [] });
});

const began = Date.parse("2026-01-01T00:00:00Z");

test("without --compat=denied-install a denied install is retried after exactly half a minute", () => {
  const world = worldOf(csvAt("op.v1", "Failed", "InstallComponentFailedNoRetry"));
  assert.deepEqual(planCsv(world, began + 10_000), { actions: [], recheckAfterMs: 20_000 });
  assert.deepEqual(planCsv(world, began + 29_999), { actions: [], recheckAfterMs: 1 });
  assert.equal(next(world, began + 30_000), "Pending/DetectedClusterChange");
  // Denied in the future: the clock was set back.
  assert.equal(next(world, began - 1000), "Pending/DetectedClusterChange");
});

/** As kube-apiserver answers: the members of custom resources in alphabetical order. */
const sorted = <Value>(value: Value): Value =>
  (Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, member]) => [name, sorted(member)]),
        )
      : value) as Value;

test("requirements that are shown already are not written again, in whatever order the API server answers their members", () => {
  const csv = csvAt("op.v1", "Pending", "RequirementsNotMet");
  const waiting = { ...csv, spec: { ...csv.spec, minKubeVersion: "99.0.0" } };
  const [first] = planCsv(worldOf(waiting), began).actions;
  assert.ok(first?.kind === "status");
  const shown = { ...waiting, status: sorted(first.status) };
  assert.deepEqual(planCsv(worldOf(shown), began).actions, []);
  const other = { ...shown, spec: { ...shown.spec, minKubeVersion: "98.0.0" } };
  assert.equal(planCsv(worldOf(other), began).actions.length, 1);
});

test("of a CSV that is being deleted the cluster-scoped objects are deleted first and the finalizer last", () => {
  const csv = csvAt("op.v1", "Succeeded");
  const leaving = { ...csv, metadata: { ...csv.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const departure: Departure = {
    csv: leaving,
    leftovers: [
      { kind: "clusterRole", name: "r" },
      { kind: "mutating", name: "m" },
      { kind: "apiService", name: "v1.g.io" },
    ],
    converted: [],
  };
  const { actions } = planDeparture(departure, now);
  const shown = actions.map((action) =>
    action.kind === "write" ? `${action.write.verb} ${action.write.type.kind}` : "",
  );
  assert.deepEqual(shown, [
    "delete ClusterRole",
    "delete MutatingWebhookConfiguration",
    "delete APIService",
    "patch ClusterServiceVersion",
  ]);
});

test("a failed CSV that claims an API of the lifecycle manager stays as it is until it no longer does", () => {
  const claiming = { reservedApis: ["as.purser.dev"] };
  const failed = needsCrd(csvAt("op.v1", "Failed", "ComponentUnhealthy"));
  const [action] = planCsv(worldOf(failed, claiming), now).actions;
  assert.ok(action?.kind === "status");
  const settled = { ...failed, status: action.status };
  assert.deepEqual(planCsv(worldOf(settled, claiming), now), { actions: [] });
  assert.equal(next(worldOf(settled)), "Pending/RequirementsNotMet");
});

test("what its InstallPlan is creating right now is not missing, and is looked for again after five seconds", () => {
  const csv = needsCrd(csvAt("op.v1", "Pending", "RequirementsUnknown"));
  assert.deepEqual(planCsv(worldOf(csv, { isBeingCreated: true }), now), { actions: [], recheckAfterMs: 5_000 });
  assert.equal(next(worldOf(csv)), "Pending/RequirementsNotMet");
});
