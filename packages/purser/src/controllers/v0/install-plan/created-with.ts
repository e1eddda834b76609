import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import type { Step } from "../../../apis/v0/install-plan.ts";
import { csvCleanupFinalizer } from "../../../apis/v0/labels.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { firstMembership } from "../cluster-service-version/plan/gate.ts";
import { isComponentOf } from "../operator/component-watches.ts";
import { componentLabel, operatorName } from "../operator/plan/component-label.ts";

/** What decides about the first metadata of the objects that an InstallPlan creates. */
export interface CreationWorld {
  readonly namespace: string;
  readonly subscriptions: readonly Subscription[];
  readonly groups: readonly OperatorGroup[];
}

/**
 * The object with what other controllers would add to it one by one right after its creation: the component label of the
 * Operator whose Subscription asked for it, and on a CSV the finalizer and the membership in the namespace's group. They still
 * correct what does not hold any more.
 */
export function createdWith(
  { namespace, subscriptions, groups }: CreationWorld,
  { resolving }: Step,
  type: ResourceType,
  object: KubeObject,
): KubeObject {
  const { metadata } = object;
  const isComponent = isComponentOf({ namespace, name: resolving }, type, object);
  const operators = !isComponent
    ? []
    : subscriptions
        .filter(({ status }) => status?.currentCSV === resolving)
        .flatMap(({ spec }) => operatorName(spec.name, namespace) ?? []);
  const isCsv = type === clusterServiceVersions;
  const finalizers = metadata.finalizers ?? [];
  const added = isCsv && !finalizers.includes(csvCleanupFinalizer) ? [csvCleanupFinalizer] : [];
  const annotations = isCsv ? firstMembership(groups) : {};
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(operators.length === 0
        ? {}
        : {
            labels: { ...metadata.labels, ...Object.fromEntries(operators.map((name) => [componentLabel(name), ""])) },
          }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...metadata.annotations, ...annotations } }),
      ...(added.length === 0 ? {} : { finalizers: [...finalizers, ...added] }),
    },
  };
}
