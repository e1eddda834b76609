import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import {
  copiedFromLabel,
  managedLabel,
  ownerKindLabel,
  ownerLabel,
  ownerNamespaceLabel,
} from "../../../apis/v0/labels.ts";
import { labelledFor } from "../cluster-service-version/owned-by.ts";

const unlabelled = `${managedLabel}!=true`;

/** Scope of informers of what releases of OLM before the label of managed objects left; empty on most clusters. */
export const unlabelledScope = { labelSelector: `${ownerKindLabel}=ClusterServiceVersion,${unlabelled}` } as const;

/** As `ownedBy` for the objects of {@link unlabelledScope}: their informers answer it without a request. */
export const unlabelledFor = (owner: ObjectKey): string => `${labelledFor(owner)},${unlabelled}`;

/** The CSV that owns an object by its labels, or whose permissions it repeats in another namespace. */
export function ownerOf({ metadata: { labels = {} } }: KubeObject): readonly ObjectKey[] {
  const { [ownerLabel]: name, [ownerKindLabel]: kind } = labels;
  const namespace = labels[copiedFromLabel] ?? labels[ownerNamespaceLabel];
  return kind === "ClusterServiceVersion" && name !== undefined && namespace !== undefined ? [{ namespace, name }] : [];
}
