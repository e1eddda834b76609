import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { clusterServiceVersions, installPlans, subscriptions } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import { label } from "../../../plan/metadata-patch.ts";
import { componentLabel, operatorName, operatorsOf } from "./component-label.ts";
import type { Component } from "./plan-operator.ts";

export interface AdoptionAction {
  readonly kind: "write";
  readonly write: ObjectWrite;
}

/** The Subscriptions of a namespace and what they refer to. */
export interface SubscriptionAdoptionWorld {
  readonly namespace: string;
  readonly subscriptions: readonly Subscription[];
  /** Without copies. */
  readonly csvs: readonly ClusterServiceVersion[];
  readonly installPlans: readonly InstallPlan[];
}

/** The names in a Subscription's status of what belongs to its Operator; nothing else of it counts. */
export const referredTo = ({ status }: Subscription): readonly (string | undefined)[] => [
  status?.installedCSV,
  status?.installPlanRef?.name,
];

const present = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;

/**
 * Labels the Subscriptions of a namespace, their installed CSVs and the InstallPlans that they refer to as components of the
 * Operators of their packages. Other InstallPlans lose the label of an Operator that has a Subscription.
 */
export function planSubscriptionAdoption(world: SubscriptionAdoptionWorld): Plan<AdoptionAction> {
  const wanted = new Map<KubeObject, Set<string>>();
  const subscribed = new Set<string>();
  for (const subscription of world.subscriptions.filter(present)) {
    const operator = operatorName(subscription.spec.name, world.namespace);
    if (operator === undefined) continue;
    subscribed.add(operator);
    const [installedCSV, planName] = referredTo(subscription);
    const found = [
      subscription,
      ...world.csvs.filter(({ metadata }) => metadata.name === installedCSV),
      ...world.installPlans.filter(({ metadata }) => metadata.name === planName),
    ];
    for (const object of found.filter(present)) wanted.set(object, (wanted.get(object) ?? new Set()).add(operator));
  }
  const adopted = (type: ResourceType, objects: readonly KubeObject[]): readonly AdoptionAction[] =>
    objects.flatMap((object) => {
      const missing = [...(wanted.get(object) ?? [])].filter((operator) => !operatorsOf(object).includes(operator));
      const left =
        type === installPlans
          ? operatorsOf(object).filter((name) => subscribed.has(name) && wanted.get(object)?.has(name) !== true)
          : [];
      return labelled(type, object, missing, left);
    });
  return {
    actions: [
      ...adopted(subscriptions, world.subscriptions),
      ...adopted(clusterServiceVersions, world.csvs),
      ...adopted(installPlans, world.installPlans),
    ],
  };
}

/** Gives what belongs to a CSV the component labels of the CSV. Labels of other Operators stay. */
export function planCsvAdoption(
  csv: ClusterServiceVersion | undefined,
  components: readonly Component[],
): Plan<AdoptionAction> {
  const operators = csv === undefined || !present(csv) ? [] : operatorsOf(csv);
  return {
    actions: components
      .filter(({ object }) => present(object))
      .flatMap(({ type, object }) => {
        const held = operatorsOf(object);
        return labelled(
          type,
          object,
          operators.filter((name) => !held.includes(name)),
          [],
        );
      }),
  };
}

function labelled(
  type: ResourceType,
  object: KubeObject,
  added: readonly string[],
  removed: readonly string[],
): readonly AdoptionAction[] {
  if (added.length + removed.length === 0) return [];
  const changes = Object.fromEntries([
    ...added.map((name) => [componentLabel(name), ""] as const),
    ...removed.map((name) => [componentLabel(name), null] as const),
  ]);
  return [{ kind: "write", write: label(type, object, changes) }];
}
