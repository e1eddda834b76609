import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";

/**
 * The error of OLM's `competingCRDOwnersExist` when another CSV of the namespace also owns a CRD that this CSV owns;
 * undefined when no other CSV does.
 */
export function competingOwners(
  csv: ClusterServiceVersion,
  others: readonly ClusterServiceVersion[],
  namespace: string,
): string | undefined {
  const { name = "" } = csv.metadata;
  for (const { name: crd } of csv.spec.customresourcedefinitions?.owned ?? []) {
    const owners = others
      .filter(({ spec }) => (spec.customresourcedefinitions?.owned ?? []).some((owned) => owned.name === crd))
      .map(({ metadata }) => metadata.name ?? "");
    if (owners.length > 1) {
      return `error checking crd owners for: ${name}: Existing CSVs [${owners.join(" ")}] in namespace ${namespace} all claim to own CRD ${crd}`;
    }
    if (owners.length === 1 && owners[0] !== name) {
      return `pre-existing CRD owners found for owned CRD(s) of dependent CSV ${name}`;
    }
  }
  return undefined;
}
