import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { providedApisAnnotation } from "../../../../apis/v0/labels.ts";

/** `Kind.version.group`, as `olm.providedAPIs` lists them. */
export type ApiText = string;

/** APIs that the CSV's owned CRDs and APIServices bring. */
export function providedApis(csv: ClusterServiceVersion): readonly ApiText[] {
  const { customresourcedefinitions, apiservicedefinitions } = csv.spec;
  const apis = new Set<ApiText>();
  for (const { kind, version, name } of customresourcedefinitions?.owned ?? [])
    apis.add(`${kind}.${version}.${name.slice(name.indexOf(".") + 1)}`);
  for (const { kind, version, group } of apiservicedefinitions?.owned ?? []) apis.add(`${kind}.${version}.${group}`);
  return [...apis].sort();
}

/** Reads `olm.providedAPIs`; entries with fewer than three parts are ignored. */
export function parseProvidedApis(annotation: string | undefined): readonly ApiText[] {
  return (annotation ?? "")
    .replaceAll(" ", "")
    .split(",")
    .filter((entry) => entry.split(".").length >= 3);
}

/** Sorted and joined, as upstream writes the annotation. */
export function formatProvidedApis(apis: Iterable<ApiText>): string {
  return [...new Set(apis)].sort().join(",");
}

const groupTargets = (group: OperatorGroup): readonly string[] => {
  const targets = group.status?.namespaces ?? [];
  const own = group.metadata.namespace ?? "";
  return targets[0] !== undefined && targets[0] !== "" && !targets.includes(own) ? [...targets, own] : targets;
};

const intersect = (one: OperatorGroup, other: OperatorGroup): boolean => {
  const [targets, others] = [groupTargets(one), groupTargets(other)];
  if (targets.length === 0 || others.length === 0) return false;
  return targets[0] === "" || others[0] === "" || targets.some((target) => others.includes(target));
};

/** What has to happen to the group's list of provided APIs because of one CSV. */
export type ProvidedApiDecision = "add" | "remove" | "conflict" | "none";

/** Weighs the CSV's APIs against its own group's list and those of all groups whose targets intersect. */
export function decideProvidedApis(
  provided: readonly ApiText[],
  group: OperatorGroup,
  allGroups: readonly OperatorGroup[],
): ProvidedApiDecision {
  const listed = parseProvidedApis(group.metadata.annotations?.[providedApisAnnotation]);
  const elsewhere = new Set(
    allGroups
      .filter((other) => other.metadata.uid !== group.metadata.uid && intersect(group, other))
      .flatMap((other) => parseProvidedApis(other.metadata.annotations?.[providedApisAnnotation])),
  );
  const contested = provided.some((api) => elsewhere.has(api));
  const registered = provided.every((api) => listed.includes(api));
  if (registered) return contested ? "remove" : "none";
  return contested ? "conflict" : "add";
}
