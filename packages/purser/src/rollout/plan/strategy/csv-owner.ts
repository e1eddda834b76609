import { managedLabel } from "../../../apis/v0/labels.ts";
import type { OwnerReference } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { csvOwnerReference, ownerLabels } from "../../../bundle/owned-by-csv.ts";

/** The owner labels and owner reference of objects that belong to a CSV. */
export interface CsvOwner {
  readonly name: string;
  readonly namespace: string;
  readonly reference: OwnerReference;
  readonly labels: Readonly<Record<string, string>>;
}

export const managed: Readonly<Record<string, string>> = { [managedLabel]: "true" };

export function ownerOf({ metadata: { name = "", namespace = "", uid = "" } }: ClusterServiceVersion): CsvOwner {
  return {
    name,
    namespace,
    reference: csvOwnerReference({ name, uid }),
    labels: ownerLabels({ name, namespace }),
  };
}

/** Whether an object carries the owner labels of this CSV. */
export function hasOwnerLabels(labels: Readonly<Record<string, string>> | undefined, owner: CsvOwner): boolean {
  return Object.entries(owner.labels).every(([key, value]) => labels?.[key] === value);
}
