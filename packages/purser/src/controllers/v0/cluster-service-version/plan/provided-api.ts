import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { providedApisAnnotation } from "../../../../apis/v0/labels.ts";
import { commonNamespaces } from "../../operator-group/plan/namespace-set.ts";

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

/** What a group reaches: its targets, and its own namespace unless it targets all or nothing. */
export function groupSurface(group: OperatorGroup): readonly string[] {
  const targets = group.status?.namespaces ?? [];
  const own = group.metadata.namespace ?? "";
  return targets[0] !== undefined && targets[0] !== "" && !targets.includes(own) ? [...targets, own] : targets;
}

const sameGroup = (one: OperatorGroup, other: OperatorGroup): boolean =>
  one.metadata.name === other.metadata.name && one.metadata.namespace === other.metadata.namespace;

/** Groups other than `group` whose surface meets its own. */
export function intersectingGroups(
  group: OperatorGroup,
  allGroups: readonly OperatorGroup[],
): readonly OperatorGroup[] {
  const surface = groupSurface(group);
  return allGroups.filter(
    (other) => !sameGroup(other, group) && commonNamespaces(surface, groupSurface(other)).length > 0,
  );
}

/** What has to happen to the group's list of provided APIs because of one CSV. */
export type ProvidedApiDecision = "add" | "remove" | "conflict" | "none";

/** Weighs the CSV's APIs against its own group's list and those of all groups whose targets intersect. */
export function decideProvidedApis(
  provided: readonly ApiText[],
  group: OperatorGroup,
  allGroups: readonly OperatorGroup[],
): ProvidedApiDecision {
  const listed = new Set(parseProvidedApis(group.metadata.annotations?.[providedApisAnnotation]));
  const elsewhere = new Set(
    intersectingGroups(group, allGroups).flatMap((other) =>
      parseProvidedApis(other.metadata.annotations?.[providedApisAnnotation]),
    ),
  );
  const contested = provided.some((api) => elsewhere.has(api));
  const registered = provided.every((api) => listed.has(api));
  if (registered) return contested ? "remove" : "none";
  return contested ? "conflict" : "add";
}
