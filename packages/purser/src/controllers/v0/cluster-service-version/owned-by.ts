import { managedLabel, ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../../../apis/v0/labels.ts";

interface OwnerKey {
  readonly namespace?: string;
  readonly name?: string;
}

/** Label selector for managed objects that name this ClusterServiceVersion as their owner. */
export function ownedBy(owner: OwnerKey): string {
  return `${labelledFor(owner)},${managedLabel}=true`;
}

/** Like {@link ownedBy}, also for objects that lack the label of managed objects, such as APIServices of older releases. */
export function labelledFor({ namespace = "", name = "" }: OwnerKey): string {
  return [
    `${ownerLabel}=${name}`,
    `${ownerNamespaceLabel}=${namespace}`,
    `${ownerKindLabel}=ClusterServiceVersion`,
  ].join(",");
}
