import { managedLabel, ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../../../apis/v0/labels.ts";

/** Label selector for managed objects that name this ClusterServiceVersion as their owner. */
export function ownedBy({
  namespace = "",
  name = "",
}: {
  readonly namespace?: string;
  readonly name?: string;
}): string {
  return [
    `${ownerLabel}=${name}`,
    `${ownerNamespaceLabel}=${namespace}`,
    `${ownerKindLabel}=ClusterServiceVersion`,
    `${managedLabel}=true`,
  ].join(",");
}
