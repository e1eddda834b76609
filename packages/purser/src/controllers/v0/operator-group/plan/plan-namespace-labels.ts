import type { Namespace } from "@purser/kubernetes/apis/core";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { operatorGroupUidLabelPrefix } from "../../../../apis/v0/labels.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { label } from "../../../plan/metadata-patch.ts";

export interface NamespaceLabelWorld {
  readonly namespace: Namespace | undefined;
  /** Groups that target it by name; others have no effect. */
  readonly groups: readonly OperatorGroup[];
}

export interface NamespaceLabelAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

/**
 * The labels with which a namespace names the groups that target it; webhooks of a group with target namespaces select
 * namespaces by them. A group that targets every namespace needs none. Other labels stay.
 */
export function planNamespaceLabels({ namespace, groups }: NamespaceLabelWorld): Plan<NamespaceLabelAction> {
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const { name = "", labels = {} } = namespace.metadata;
  const wanted = new Set(
    groups
      .filter(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined && status?.namespaces?.includes(name) === true,
      )
      .map(({ metadata }) => `${operatorGroupUidLabelPrefix}${metadata.uid ?? ""}`),
  );
  const changes: Record<string, string | null> = {};
  for (const key of wanted) if (labels[key] !== "") changes[key] = "";
  for (const key of Object.keys(labels))
    if (key.startsWith(operatorGroupUidLabelPrefix) && !wanted.has(key)) changes[key] = null;
  if (Object.keys(changes).length === 0) return { actions: [] };
  return { actions: [{ kind: "write", write: label(namespaces, namespace, changes) }] };
}
