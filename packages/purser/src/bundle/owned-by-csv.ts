import type { OwnerReference } from "@purser/kubernetes/apis/object";
import { ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../apis/v0/labels.ts";

const csvKind = "ClusterServiceVersion";
const csvApiVersion = "operators.coreos.com/v1alpha1";

/** Labels that mark an object as a CSV's where an owner reference cannot. */
export function ownerLabels(csv: {
  readonly name: string;
  readonly namespace: string;
}): Readonly<Record<string, string>> {
  return { [ownerLabel]: csv.name, [ownerKindLabel]: csvKind, [ownerNamespaceLabel]: csv.namespace };
}

/**
 * Neither controller nor blocking, as OLM v0 writes all references to CSVs.
 * @param csv `apiVersion` as the CSV of a bundle states it; upstream copies it, also a foreign group
 */
export function csvOwnerReference(csv: {
  readonly apiVersion?: string;
  readonly name: string;
  readonly uid: string;
}): OwnerReference {
  return {
    apiVersion: csv.apiVersion ?? csvApiVersion,
    kind: csvKind,
    name: csv.name,
    uid: csv.uid,
    controller: false,
    blockOwnerDeletion: false,
  };
}
