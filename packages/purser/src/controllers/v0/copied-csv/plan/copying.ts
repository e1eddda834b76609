import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { targetNamespacesAnnotation } from "../../../../apis/v0/labels.ts";
import type { OLMConfig } from "../../../../apis/v0/olm-config.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { Compat } from "../../../../compat.ts";
import { isMember } from "../../cluster-service-version/plan/gate.ts";
import { parseTargetNamespaces } from "../../cluster-service-version/plan/install-mode.ts";
import { containsNamespace, isEveryNamespace } from "../../operator-group/plan/namespace-set.ts";

/** Whether CSVs of groups for all namespaces are copied. Those of other groups always are. */
export function copiesEverywhere(config: OLMConfig | undefined, compat: Compat): boolean {
  const disabled = config?.spec?.features?.disableCopiedCSVs ?? undefined;
  return disabled === undefined ? compat.keepsUpstream("copied-csvs") : !disabled;
}

/** Reasons of CSVs that do not work for their group. */
const uncopied: readonly string[] = [
  "Copied",
  "InvalidInstallModes",
  "NoTargetNamespaces",
  "UnsupportedOperatorGroup",
  "NoOperatorGroup",
  "TooManyOperatorGroups",
  "InterOperatorGroupOwnerConflict",
  "CannotModifyStaticOperatorGroupProvidedAPIs",
];

export interface Source {
  readonly csv: ClusterServiceVersion;
  /** The group that the CSV names in its annotation, if it exists. */
  readonly group: OperatorGroup | undefined;
}

/** Whether a CSV's status allows copies; nothing else of it decides where they are. */
export const allowsCopies = ({ status: { phase = "", reason = "" } = {} }: ClusterServiceVersion): boolean =>
  phase !== "" && !uncopied.includes(reason);

/**
 * Namespaces into which a CSV is copied, its own among them; undefined while its group or its state says nothing about that.
 * `[""]`: every namespace.
 */
export function copyTargets({ csv, group }: Source): readonly string[] | undefined {
  if (csv.metadata.deletionTimestamp !== undefined || !allowsCopies(csv)) return undefined;
  if (group === undefined || !isMember(csv, group)) return undefined;
  return group.status?.namespaces ?? [];
}

/** Whether a CSV is copied into the namespace. */
export function isCopiedInto(source: Source, namespace: string, everywhere: boolean): boolean {
  const targets = copyTargets(source) ?? [];
  if (namespace === source.csv.metadata.namespace || (isEveryNamespace(targets) && !everywhere)) return false;
  return containsNamespace(targets, namespace);
}

/**
 * Whether a copy that is not wanted now is wrong, and not only out of date: its original does not exist, lost its APIs to
 * another group, or does not work for the namespace; or copies for all namespaces are off.
 * @param parent the CSV of the same name in the namespace that the copy's annotation names
 */
export function isGarbage(parent: ClusterServiceVersion | undefined, namespace: string, everywhere: boolean): boolean {
  if (parent === undefined || parent.metadata.namespace === namespace) return true;
  if (parent.status?.phase === "Failed" && parent.status.reason === "InterOperatorGroupOwnerConflict") return true;
  const targets = parent.metadata.annotations?.[targetNamespacesAnnotation];
  if (targets === undefined) return true;
  const named = parseTargetNamespaces(targets);
  return !containsNamespace(named, namespace) || (isEveryNamespace(named) && !everywhere);
}
