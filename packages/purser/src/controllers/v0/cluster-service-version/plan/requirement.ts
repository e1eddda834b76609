import type { ClusterServiceVersion, RequirementStatus } from "../../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, installedAlongsideAnnotationPrefix } from "../../../../apis/v0/labels.ts";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { judgeKubeVersion } from "../../../../bundle/min-kube-version.ts";
import type { RequirementWorld } from "./world.ts";
import { permissionRequirements } from "./permission.ts";

export interface RequirementEvaluation {
  readonly met: boolean;
  readonly statuses: readonly RequirementStatus[];
}

type Judged = readonly [status: RequirementStatus, met: boolean];

/**
 * Judges every requirement of a CSV in upstream's order: Kubernetes version, CRDs, required and owned APIServices,
 * native APIs, service accounts with their rules. The problem is upstream's text for a spec that cannot be judged.
 */
export function evaluateRequirements(world: RequirementWorld): Result<RequirementEvaluation, string> {
  const { csv } = world;
  if (csv.spec.install.strategy !== "deployment") return failed("unrecognized install strategy");
  const permissions = permissionRequirements(world);
  if (!permissions.ok) return permissions;
  const judged: readonly Judged[] = [
    ...minKubeVersion(csv, world.kubeVersion),
    ...crdRequirements(world),
    ...apiServiceRequirements(world),
    ...nativeApis(world),
    ...permissions.value,
  ];
  return done({ met: judged.every(([, met]) => met), statuses: judged.map(([status]) => status) });
}

function minKubeVersion(csv: ClusterServiceVersion, server: string | undefined): readonly Judged[] {
  const { minKubeVersion: wanted } = csv.spec;
  if (wanted === undefined || wanted === "") return [];
  const { met, message } = judgeKubeVersion(wanted, server);
  const status = {
    group: "operators.coreos.com",
    version: "v1alpha1",
    kind: "ClusterServiceVersion",
    name: csv.metadata.name ?? "",
    status: met ? "Present" : "PresentNotSatisfied",
    message,
  };
  return [[status, met]];
}

function crdRequirements(world: RequirementWorld): readonly Judged[] {
  const { owned = [], required = [] } = world.csv.spec.customresourcedefinitions ?? {};
  const wanted = new Map([...required, ...owned].map((description) => [description.name, description]));
  const ownedNames = new Set(owned.map(({ name }) => name));
  return [...wanted.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, version }): Judged => {
      const judge = (status: string, message: string, uuid?: string): Judged => [
        {
          group: "apiextensions.k8s.io",
          version: "v1",
          kind: "CustomResourceDefinition",
          name,
          status,
          message,
          ...(uuid === undefined ? {} : { uuid }),
        },
        status === "Present",
      ];
      const crd = world.crds.get(name);
      if (crd === undefined) return judge("NotPresent", "CRD is not present");
      const others = ownedNames.has(name) ? alongside(world, crd.metadata.annotations ?? {}) : [];
      if (others.length > 0)
        return judge("PresentNotSatisfied", `CRD installed alongside other CSV(s): ${others.join(", ")}`);
      if (!crd.spec.versions.some((served) => served.name === version && served.served))
        return judge("NotPresent", "CRD version not served");
      const holds = (type: string): boolean => findCondition(crd.status?.conditions, type)?.status === "True";
      if (holds("Established") && holds("NamesAccepted"))
        return judge("Present", "CRD is present and Established condition is true", crd.metadata.uid);
      return judge("PresentNotAvailable", "CRD is present but the Established condition is False (not available)");
    });
}

/** CSVs that this one replaces and that the CRD says it was installed with, while it does not say so of this one. */
function alongside(world: RequirementWorld, annotations: Readonly<Record<string, string>>): readonly string[] {
  const { namespace = "", name: own = "" } = world.csv.metadata;
  const named = new Set<string>();
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(installedAlongsideAnnotationPrefix)) continue;
    const [where, name, ...rest] = value.split("/");
    if (rest.length > 0 || name === undefined || where !== namespace) continue;
    if (name === own) return [];
    const sibling = world.siblings.find((candidate) => candidate.metadata.name === name);
    if (sibling !== undefined && sibling.metadata.labels?.[copiedFromLabel] === undefined) named.add(name);
  }
  const ancestors: string[] = [];
  const seen = new Set<string>([own]);
  for (let next = world.csv.spec.replaces; next !== undefined && named.has(next) && !seen.has(next);) {
    seen.add(next);
    ancestors.push(next);
    next = world.siblings.find((candidate) => candidate.metadata.name === next)?.spec.replaces;
  }
  return ancestors;
}

function apiServiceRequirements(world: RequirementWorld): readonly Judged[] {
  const { owned = [], required = [] } = world.csv.spec.apiservicedefinitions ?? {};
  const ownedByName = new Map(owned.map((description) => [`${description.version}.${description.group}`, description]));
  const requiredByName = new Map(
    required
      .map((description) => [`${description.version}.${description.group}`, description] as const)
      .filter(([name]) => !ownedByName.has(name)),
  );
  const entry = (name: string, status: string, met: boolean, uuid?: string): Judged => [
    {
      group: "apiregistration.k8s.io",
      version: "v1",
      kind: "APIService",
      name,
      status,
      message: "",
      ...(uuid === undefined ? {} : { uuid }),
    },
    met,
  ];
  const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
  return [
    ...[...requiredByName].toSorted(byName).map(([name, { group, version, kind }]): Judged => {
      const service = world.apiServices.get(name);
      const available = findCondition(service?.status?.conditions, "Available")?.status === "True";
      const present = available && world.servedApis.has(`${group}/${version}/${kind}`);
      return entry(name, present ? "Present" : "NotPresent", present, present ? service?.metadata.uid : undefined);
    }),
    ...[...ownedByName].toSorted(byName).map(([name, { deploymentName }]): Judged => {
      const found =
        world.csv.spec.install.spec?.deployments.some((deployment) => deployment.name === deploymentName) === true;
      return entry(name, found ? "DeploymentFound" : "DeploymentNotFound", found);
    }),
  ];
}

function nativeApis(world: RequirementWorld): readonly Judged[] {
  return (world.csv.spec.nativeAPIs ?? []).map(({ group, version, kind }): Judged => {
    const present = world.servedApis.has(`${group}/${version}/${kind}`);
    return [
      {
        group,
        version,
        kind,
        name: `${version}.${group}`,
        status: present ? "Present" : "NotPresent",
        message: present ? "Native API exists" : "Native API does not exist",
      },
      present,
    ];
  });
}
