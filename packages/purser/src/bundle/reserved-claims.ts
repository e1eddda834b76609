import { reservedGroups, reservedGroupsRule } from "../apis/reserved-groups.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { type JsonObject, member } from "@purser/kubernetes/json";

const isReserved = (crd: string): boolean => reservedGroups.includes(crd.slice(crd.indexOf(".") + 1));

/**
 * APIs of the lifecycle manager that a ClusterServiceVersion owns or converts: CRDs as `plural.group`, APIServices as
 * `version.group`, each once. The same rule as `reservedGroupsPolicy`, for what is judged before it is written.
 */
export function reservedClaims({ spec }: Pick<ClusterServiceVersion, "spec">): readonly string[] {
  const crds = (spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name);
  const converted = (spec.webhookdefinitions ?? [])
    .filter(({ type }) => type === "ConversionWebhook")
    .flatMap(({ conversionCRDs }) => conversionCRDs ?? []);
  const services = (spec.apiservicedefinitions?.owned ?? [])
    .filter(({ group }) => reservedGroups.includes(group))
    .map(({ version, group }) => `${version}.${group}`);
  return [...new Set([...[...crds, ...converted].filter(isReserved), ...services])];
}

/** CustomResourceDefinitions of the lifecycle manager among manifests, by name. */
export function reservedCrds(manifests: readonly JsonObject[]): readonly string[] {
  return manifests.flatMap((manifest) => {
    if (manifest["kind"] !== "CustomResourceDefinition") return [];
    const { metadata, spec } = manifest as unknown as {
      readonly metadata?: { readonly name?: unknown };
      readonly spec?: JsonObject;
    };
    const name = typeof metadata?.name === "string" ? metadata.name : "";
    const group = spec === undefined ? undefined : member(spec, "group");
    return isReserved(name) || (typeof group === "string" && reservedGroups.includes(group)) ? [name] : [];
  });
}

/** A sentence about what is claimed, and the way out; undefined when nothing is. */
export function reservedClaimsProblem(claims: readonly string[]): string | undefined {
  if (claims.length === 0) return undefined;
  return `it brings APIs of the lifecycle manager: ${[...new Set(claims)].join(", ")}. ${reservedGroupsRule}`;
}
