import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { isMember } from "../../cluster-service-version/plan/gate.ts";
import { isEveryNamespace } from "../../operator-group/plan/namespace-set.ts";

/** Where the namespaced permissions of an operator hold beside its own namespace. */
export type PermissionScope =
  /** The group has changed and the CSV does not say so yet: nothing is granted or revoked. */
  | { readonly kind: "undecided" }
  /** `grants` is false while the operator may not run for this group: what it holds within the scope stays. */
  | { readonly kind: "everywhere"; readonly grants: boolean }
  /** Sorted, without the own namespace. */
  | { readonly kind: "in"; readonly namespaces: readonly string[]; readonly grants: boolean };

const nowhere: PermissionScope = { kind: "in", namespaces: [], grants: false };

/** Another group has the CSV's APIs, and its Deployments are deleted. */
const mustNotRun: readonly string[] = [
  "InterOperatorGroupOwnerConflict",
  "CannotModifyStaticOperatorGroupProvidedAPIs",
];

/** The group does not suit the CSV. */
const unsuited: readonly string[] = [
  "InvalidInstallModes",
  "NoTargetNamespaces",
  "UnsupportedOperatorGroup",
  "NoOperatorGroup",
  "TooManyOperatorGroups",
];

/** What a status says about permissions; nothing else of it counts in {@link permissionScope}. */
export function permissionState({
  status: { phase = "", reason = "" } = {},
}: ClusterServiceVersion): readonly [runs: "forbidden" | "allowed", grants: boolean] {
  return [mustNotRun.includes(reason) ? "forbidden" : "allowed", phase !== "" && !unsuited.includes(reason)];
}

/** @param group the one that the CSV names in its annotation, if it exists */
export function permissionScope(
  csv: ClusterServiceVersion | undefined,
  group: OperatorGroup | undefined,
): PermissionScope {
  if (csv === undefined || csv.metadata.deletionTimestamp !== undefined) return nowhere;
  const [runs, grants] = permissionState(csv);
  if (runs === "forbidden") return nowhere;
  if (group === undefined || !isMember(csv, group)) return { kind: "undecided" };
  const targets = group.status?.namespaces ?? [];
  if (isEveryNamespace(targets)) return { kind: "everywhere", grants };
  const others = targets.filter((name) => name !== "" && name !== csv.metadata.namespace);
  return { kind: "in", namespaces: [...new Set(others)].sort(), grants };
}
