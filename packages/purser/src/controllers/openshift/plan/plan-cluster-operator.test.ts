import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterOperator, ClusterVersion } from "../../../apis/openshift.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { type ClusterOperatorWorld, planClusterOperator, type Report } from "./plan-cluster-operator.ts";

const then = "2026-01-01T00:00:00Z";
const now = Date.parse("2026-01-02T00:00:00Z");
const name = "operator-lifecycle-manager";
const cluster = { metadata: { name: "version" }, status: { desired: { version: "4.18.1" } } } as ClusterVersion;
const empty: ClusterOperator = { apiVersion: "config.openshift.io/v1", kind: "ClusterOperator", metadata: { name } };
const tooOld = { name: "ns/a.v1", properties: '[{"type":"olm.maxOpenShiftVersion","value":"4.18"}]' };
const worldOf = (report: Report, change: Partial<ClusterOperatorWorld> = {}): ClusterOperatorWorld => ({
  name,
  report,
  versions: { version: "1.2.3" },
  cluster,
  operator: empty,
  ...change,
});

/** The status that the plan writes. */
function statusOf(world: ClusterOperatorWorld): ClusterOperator["status"] {
  const [write, ...others] = planClusterOperator(world, now).actions;
  assert.deepEqual(others, []);
  assert.ok(write?.verb === "replace" && write.subresource === "status");
  return (write.object as ClusterOperator).status;
}

/** `TYPE=STATUS REASON MESSAGE` of every condition. */
const conditionsOf = (world: ClusterOperatorWorld): readonly string[] =>
  (statusOf(world)?.conditions ?? []).map(({ type, status, reason = "", message }) =>
    [`${type}=${status}`, ...(message === undefined ? [] : [reason, message])].join(" "),
  );

const csv = (phase: string, change: object = {}): ClusterServiceVersion =>
  ({ metadata: { name: "packageserver", ...change }, spec: { version: "0.1.0" }, status: { phase } }) as never;

const blocked = [
  "IncompatibleOperatorsInstalled ClusterServiceVersions blocking minor version upgrades to 4.19.0 or higher:",
  "- maximum supported OCP version for ns/a.v1 is 4.18",
].join("\n");
const deployed = ["Progressing=False  Deployed 1.2.3", "Available=True", "Degraded=False"];
const safe = ["Degraded=False", "Upgradeable=True  Safe to upgrade"];

const cases: readonly (readonly [string, Report, readonly string[]])[] = [
  [
    "operators that allow the next minor leave the cluster upgradeable",
    { kind: "operators", bundles: [] },
    [...deployed, "Upgradeable=True"],
  ],
  [
    "an operator that is too old for the next minor blocks it",
    { kind: "operators", bundles: [tooOld] },
    [...deployed, `Upgradeable=False ${blocked}`],
  ],
  [
    "an extension that is too old for the next minor blocks it",
    { kind: "extensions", bundles: [tooOld] },
    [...deployed, `Upgradeable=False ${blocked.replace("ClusterServiceVersions", "ClusterExtensions")}`],
  ],
  ["catalogs block nothing", { kind: "catalogs" }, [...deployed, "Upgradeable=True"]],
  [
    "a package server that succeeded is available",
    { kind: "packages", csv: csv("Succeeded") },
    [...safe, "Available=True", "Progressing=False  Deployed version 0.1.0"],
  ],
  [
    "a package server that failed is not available",
    { kind: "packages", csv: csv("Failed") },
    [...safe, "Available=False", "Progressing=False  Failed to deploy 0.1.0"],
  ],
  [
    "a package server that is being installed is progressing, and its availability is not known",
    { kind: "packages", csv: csv("Installing") },
    [...safe, "Progressing=True  Working toward 0.1.0"],
  ],
  [
    "a package server that is being deleted is not available",
    { kind: "packages", csv: csv("Succeeded", { deletionTimestamp: then }) },
    [...safe, "Available=False", "Progressing=False  Uninstalled version 0.1.0"],
  ],
  [
    "a package server that does not exist is not available",
    { kind: "packages", csv: undefined },
    [...safe, "Available=False", "Progressing=False  Uninstalled version"],
  ],
];
for (const [title, report, expected] of cases)
  test(title, () => assert.deepEqual(conditionsOf(worldOf(report)), expected));

test("a ClusterOperator that does not exist is created without a status", () => {
  const { actions } = planClusterOperator(worldOf({ kind: "catalogs" }, { operator: undefined }), now);
  assert.deepEqual(
    actions.map((write) => (write.verb === "create" ? write.object : write.verb)),
    [{ apiVersion: "config.openshift.io/v1", kind: "ClusterOperator", metadata: { name }, spec: {} }],
  );
});

test("a status that is right is not written again, an hour later either", () => {
  const reports: readonly Report[] = [
    { kind: "operators", bundles: [tooOld] },
    { kind: "extensions", bundles: [] },
    { kind: "catalogs" },
    { kind: "packages", csv: csv("Succeeded") },
  ];
  for (const report of reports) {
    const world = worldOf(report, { versions: { version: "1.2.3", release: "4.18.1" } });
    const operator = { ...empty, status: statusOf(world) ?? {} };
    assert.deepEqual(planClusterOperator({ ...world, operator }, now + 3_600_000).actions, []);
  }
});

test("the transition time changes only with the status", () => {
  const held = { ...empty, status: statusOf(worldOf({ kind: "operators", bundles: [] })) ?? {} };
  const status = statusOf({ ...worldOf({ kind: "operators", bundles: [tooOld] }, { operator: held }) });
  const older = {
    ...held,
    status: { conditions: status?.conditions?.map((c) => ({ ...c, lastTransitionTime: then })) },
  };
  const another = { ...tooOld, name: "ns/b.v1" };
  const times = (bundles: readonly (typeof tooOld)[]) =>
    statusOf(worldOf({ kind: "operators", bundles }, { operator: older as ClusterOperator }))?.conditions?.map(
      ({ lastTransitionTime }) => lastTransitionTime,
    );
  assert.deepEqual(times([another]), [then, then, then, then]);
  assert.deepEqual(times([]), [then, then, then, "2026-01-02T00:00:00Z"]);
});

test("OLM v0 restores its conditions, OLM v1 only Upgradeable, and both keep what others added", () => {
  const condition = (type: string, status: "True" | "False") => ({ type, status, lastTransitionTime: then });
  const conditions = [
    condition("Available", "False"),
    condition("EvaluationConditionsDetected", "True"),
    condition("Upgradeable", "False"),
  ];
  const operator = { ...empty, status: { conditions } };
  assert.deepEqual(conditionsOf(worldOf({ kind: "operators", bundles: [] }, { operator })), [
    "Available=True",
    "EvaluationConditionsDetected=True",
    "Upgradeable=True",
    "Progressing=False  Deployed 1.2.3",
    "Degraded=False",
  ]);
  assert.deepEqual(conditionsOf(worldOf({ kind: "extensions", bundles: [] }, { operator })), [
    "Available=False",
    "EvaluationConditionsDetected=True",
    "Upgradeable=True",
    "Progressing=False  Deployed 1.2.3",
    "Degraded=False",
  ]);
});

test("versions are reported only for a release of the platform, and not by OLM v1", () => {
  const release = { versions: { version: "1.2.3", release: "4.18.1" } };
  const operator = { name: "operator", version: "4.18.1" };
  const own = { name: "operator-lifecycle-manager", version: "1.2.3" };
  assert.equal(statusOf(worldOf({ kind: "catalogs" }))?.versions, undefined);
  assert.deepEqual(statusOf(worldOf({ kind: "catalogs" }, release))?.versions, [operator, own]);
  assert.deepEqual(statusOf(worldOf({ kind: "operators", bundles: [] }, release))?.versions, [operator, own]);
  assert.deepEqual(statusOf(worldOf({ kind: "packages", csv: undefined }, release))?.versions, [operator]);
  assert.equal(statusOf(worldOf({ kind: "extensions", bundles: [] }, release))?.versions, undefined);
});

test("related objects name the kinds of the part that reports", () => {
  const resources = (report: Report) => statusOf(worldOf(report))?.relatedObjects?.map(({ resource }) => resource);
  assert.deepEqual(resources({ kind: "extensions", bundles: [] }), [
    "clustercatalogs",
    "clusterextensions",
    "clusterobjectsets",
  ]);
  assert.deepEqual(resources({ kind: "operators", bundles: [] }), [
    "clusterserviceversions",
    "operatorgroups",
    "operatorconditions",
    "operators",
  ]);
  assert.deepEqual(resources({ kind: "catalogs" }), ["catalogsources", "subscriptions", "installplans"]);
  assert.deepEqual(resources({ kind: "packages", csv: undefined }), ["packagemanifests"]);
});

test("what others put into the status stays", () => {
  const operator = { ...empty, status: { extension: { theirs: true } } } as ClusterOperator;
  const status = statusOf(worldOf({ kind: "catalogs" }, { operator })) as { readonly extension?: unknown };
  assert.deepEqual(status.extension, { theirs: true });
});
