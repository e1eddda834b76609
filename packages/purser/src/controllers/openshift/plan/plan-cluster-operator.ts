import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import {
  type ClusterOperator,
  type ClusterOperatorCondition,
  clusterOperators,
  type ClusterVersion,
} from "../../../apis/openshift.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import { type InstalledBundle, upgradeBlock } from "./blocked-upgrades.ts";

/** What a ClusterOperator reports on. */
export type Report =
  /** OLM v1's: whether installed ClusterExtensions allow an update; conditions of other writers are kept. */
  | { readonly kind: "extensions"; readonly bundles: readonly InstalledBundle[] }
  /** The operator half of OLM v0: whether installed ClusterServiceVersions allow an update. */
  | { readonly kind: "operators"; readonly bundles: readonly InstalledBundle[] }
  /** The catalog half of OLM v0. */
  | { readonly kind: "catalogs" }
  /** The package server of OLM v0, by the ClusterServiceVersion with the label `olm.clusteroperator.name`, if it exists. */
  | { readonly kind: "packages"; readonly csv: ClusterServiceVersion | undefined };

/** The versions that are reported. */
export interface ReportedVersions {
  /** Purser's own. */
  readonly version: string;
  /** The release of the platform that Purser is part of, from `RELEASE_VERSION`; absent: no versions are reported. */
  readonly release?: string;
}

export interface ClusterOperatorWorld {
  readonly name: string;
  readonly report: Report;
  readonly versions: ReportedVersions;
  readonly cluster: ClusterVersion | undefined;
  readonly operator: ClusterOperator | undefined;
}

type Wanted = Omit<ClusterOperatorCondition, "lastTransitionTime">;

/**
 * Creates the ClusterOperator, and in the next pass shows its conditions, versions and related objects. A condition that others
 * added is kept.
 */
export function planClusterOperator(world: ClusterOperatorWorld, now: number): Plan<ObjectWrite> {
  const { name, operator } = world;
  if (operator === undefined) {
    const object = { apiVersion: "config.openshift.io/v1", kind: "ClusterOperator", metadata: { name }, spec: {} };
    return { actions: [{ verb: "create", type: clusterOperators, object }] };
  }
  const held = operator.status ?? {};
  const status = {
    ...held,
    conditions: conditionsOf(world).reduce(
      (conditions, wanted) => withCondition(conditions, wanted, formatTime(now)),
      held.conditions ?? [],
    ),
    ...versionsOf(world),
    relatedObjects: relatedObjects[world.report.kind].map(([group, resource]) => ({ group, resource, name: "" })),
  };
  if (deepEqual(plainJson(status), plainJson(held))) return { actions: [] };
  return { actions: [replaceStatus(clusterOperators, operator, status)] };
}

function conditionsOf({ report, cluster, versions, operator }: ClusterOperatorWorld): readonly Wanted[] {
  const deployed: readonly Wanted[] = [
    { type: "Progressing", status: "False", message: `Deployed ${versions.version}` },
    { type: "Available", status: "True" },
    { type: "Degraded", status: "False" },
  ];
  switch (report.kind) {
    case "extensions": {
      const held = operator?.status?.conditions;
      return [
        ...deployed.filter(({ type }) => findCondition(held, type) === undefined),
        upgradeable("ClusterExtensions", report.bundles, cluster),
      ];
    }
    case "operators":
      return [...deployed, upgradeable("ClusterServiceVersions", report.bundles, cluster)];
    case "catalogs":
      return [...deployed, { type: "Upgradeable", status: "True" }];
    case "packages":
      return packageConditions(report.csv);
  }
}

function upgradeable(kind: string, bundles: readonly InstalledBundle[], cluster: ClusterVersion | undefined): Wanted {
  const block = upgradeBlock(kind, bundles, cluster);
  return block === undefined
    ? { type: "Upgradeable", status: "True" }
    : { type: "Upgradeable", status: "False", ...block };
}

/** As OLM's `csvStatusReporter`; `Available` stays as it is while the package server is on its way. */
function packageConditions(csv: ClusterServiceVersion | undefined): readonly Wanted[] {
  const version = csv?.spec.version ?? "";
  const fixed: readonly Wanted[] = [
    { type: "Degraded", status: "False" },
    { type: "Upgradeable", status: "True", message: "Safe to upgrade" },
  ];
  const settled = (available: "True" | "False", message: string): readonly Wanted[] => [
    ...fixed,
    { type: "Available", status: available },
    { type: "Progressing", status: "False", message },
  ];
  if (csv === undefined || csv.metadata.deletionTimestamp !== undefined)
    return settled("False", `Uninstalled version ${version}`.trimEnd());
  if (csv.status?.phase === "Succeeded") return settled("True", `Deployed version ${version}`);
  if (csv.status?.phase === "Failed") return settled("False", `Failed to deploy ${version}`);
  return [...fixed, { type: "Progressing", status: "True", message: `Working toward ${version}` }];
}

function versionsOf({ report, versions: { version, release } }: ClusterOperatorWorld): ClusterOperator["status"] {
  if (report.kind === "extensions" || release === undefined) return {};
  const named = [{ name: "operator", version: release }];
  return {
    versions: report.kind === "packages" ? named : [...named, { name: "operator-lifecycle-manager", version }],
  };
}

const v0Group = "operators.coreos.com";
const v1Group = "olm.operatorframework.io";
/** Group and plural of the kinds that support archives collect with a ClusterOperator. */
const relatedObjects: Readonly<Record<Report["kind"], readonly (readonly [string, string])[]>> = {
  extensions: [
    [v1Group, "clustercatalogs"],
    [v1Group, "clusterextensions"],
    [v1Group, "clusterobjectsets"],
  ],
  operators: [
    [v0Group, "clusterserviceversions"],
    [v0Group, "operatorgroups"],
    [v0Group, "operatorconditions"],
    [v0Group, "operators"],
  ],
  catalogs: [
    [v0Group, "catalogsources"],
    [v0Group, "subscriptions"],
    [v0Group, "installplans"],
  ],
  packages: [["packages.operators.coreos.com", "packagemanifests"]],
};

/** `conditions` with the one of the same type replaced; the transition time changes only with the status. */
function withCondition(
  conditions: readonly ClusterOperatorCondition[],
  wanted: Wanted,
  now: string,
): readonly ClusterOperatorCondition[] {
  const before = findCondition(conditions, wanted.type);
  const since = before?.status === wanted.status ? before.lastTransitionTime : now;
  const condition: ClusterOperatorCondition = { ...wanted, lastTransitionTime: since };
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((held) => (held.type === wanted.type ? condition : held));
}
