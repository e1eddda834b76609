import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ApiFamily } from "../../../apis/api-family.ts";
import { isOwnApiService } from "../../../controllers/package-api/plan/plan-package-api.ts";
import { objectText, type TakeoverFinding } from "./finding.ts";
import type { TakeoverWorld } from "./takeover-world.ts";
import { counted } from "../../../explanation/summary.ts";

/** Of OLM v0; the package server only answers reads, and keeps doing so. */
const packageServer = "packageserver";

/** Names of OLM's Deployments by API family. */
export const managerNames: Readonly<Record<ApiFamily, readonly string[]>> = {
  v0: ["olm-operator", "catalog-operator", packageServer],
  v1: ["operator-controller-controller-manager", "catalogd-controller-manager"],
};

/** Names of OLM's Leases by API family; OLM v0 has none. */
export const leaseNames: Readonly<Record<ApiFamily, readonly string[]>> = {
  v0: [],
  v1: ["9c4404e7.operatorframework.io", "catalogd-operator-lock"],
};
export const ownLease = "purser";

/** Field managers of the two programs of OLM v0. */
const writers: readonly string[] = ["olm", "catalog"];
const recentMs = 2 * 60_000;

/** Other managers that work on the same objects, and what they leave behind. */
export function managerFindings(world: TakeoverWorld, now: number): readonly TakeoverFinding[] {
  return [
    ...runningManagers(world.managers),
    ...world.leases.flatMap(({ metadata, spec }): readonly TakeoverFinding[] => {
      const { holderIdentity = "", renewTime = "", leaseDurationSeconds = 0 } = spec ?? {};
      if (holderIdentity === "" || Date.parse(renewTime) + leaseDurationSeconds * 1000 < now) return [];
      return [
        {
          code: "LeaseHeld",
          severity: metadata.name === ownLease ? "note" : "blocker",
          object: objectText("Lease", metadata),
          summary: `is held by ${holderIdentity} since ${spec?.acquireTime ?? renewTime}`,
          remedy: "stop that process first; the Lease then expires",
        },
      ];
    }),
    ...recentWrites(world, now),
    ...world.missingDefinitions.map((name): TakeoverFinding => ({
      code: "DefinitionsMissing",
      severity: "note",
      object: objectText("CustomResourceDefinition", { name }),
      summary: "is not served",
      remedy: "add --install-crds to purser run",
    })),
    ...packageApi(world),
  ];
}

/** OLM's Deployments that run; two managers of the same objects overwrite each other. */
export function runningManagers(managers: readonly Deployment[]): readonly TakeoverFinding[] {
  return managers.flatMap(({ metadata, spec }): readonly TakeoverFinding[] => {
    const replicas = spec?.replicas ?? 1;
    const { namespace = "", name = "" } = metadata;
    if (replicas === 0 || name === packageServer) return [];
    return [
      {
        code: "OlmRunning",
        severity: "blocker",
        object: objectText("Deployment", metadata),
        summary: `runs with ${counted(replicas, "replica")}: two managers would overwrite each other`,
        remedy: `kubectl -n ${namespace} scale deployment ${name} --replicas=0`,
      },
    ];
  });
}

/** OLM may run outside of the cluster or under another name: then only what it writes shows it. */
function recentWrites(world: TakeoverWorld, now: number): readonly TakeoverFinding[] {
  const kinds: readonly (readonly [string, readonly KubeObject[]])[] = [
    ["Subscription", world.subscriptions],
    ["CatalogSource", world.catalogSources],
    ["ClusterServiceVersion", world.csvs],
    ["OperatorGroup", world.groups],
  ];
  const writes = kinds.flatMap(([kind, objects]) =>
    objects.flatMap(({ metadata }) =>
      (metadata.managedFields ?? [])
        .filter(({ manager = "" }) => writers.includes(manager))
        .map(({ manager = "", time = "" }) => ({ object: objectText(kind, metadata), manager, time })),
    ),
  );
  const last = writes.reduce<(typeof writes)[number] | undefined>(
    (latest, write) => (latest === undefined || write.time > latest.time ? write : latest),
    undefined,
  );
  if (last === undefined || Date.parse(last.time) + recentMs < now) return [];
  return [
    {
      code: "OlmWroteRecently",
      severity: "note",
      object: last.object,
      summary: `was written by field manager ${last.manager} at ${last.time}, which is OLM`,
      remedy: "check that OLM does not run outside of this cluster",
    },
  ];
}

function packageApi({ packageApi: service }: TakeoverWorld): readonly TakeoverFinding[] {
  if (service === undefined || isOwnApiService(service)) return [];
  const { namespace = "", name = "" } = service.spec?.service ?? {};
  const isAvailable = findCondition(service.status?.conditions, "Available")?.status === "True";
  const object = objectText("APIService", { name: service.metadata.name ?? "" });
  return [
    isAvailable
      ? {
          code: "PackageApi",
          severity: "note",
          object,
          summary: `is left to Service ${namespace}/${name} while that is available`,
        }
      : {
          code: "PackageApi",
          severity: "change",
          object,
          summary: `is served by Service ${namespace}/${name}, which does not answer: namespaces cannot be deleted meanwhile`,
          remedy: "start purser run with --package-api-address, which takes it over, or delete the APIService",
        },
  ];
}
