import { formatKey, type KubeObject, type ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  deployments,
  namespaces,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
} from "@purser/kubernetes/apis/resources";
import type { Watch } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import {
  clusterServiceVersions,
  installPlans,
  operatorConditions,
  subscriptions,
} from "../../../apis/olm-resources.ts";
import {
  copiedFromLabel,
  managedLabel,
  ownerKindLabel,
  ownerLabel,
  ownerNamespaceLabel,
} from "../../../apis/v0/labels.ts";
import { changedBeyondMarks, managedCrds } from "../crd-state.ts";
import { operatorsOf } from "./plan/component-label.ts";
import type { Component } from "./plan/plan-operator.ts";

const managed = { scope: { labelSelector: `${managedLabel}=true` } } as const;

/**
 * Kinds that can belong to an Operator, as other controllers follow them where they do: two watches of the same objects
 * would answer the reads of a controller from the one that lags behind the one that woke it.
 */
const componentWatches: readonly Pick<Watch, "type" | "scope" | "projection">[] = [
  { type: deployments, scope: { labelSelector: `${ownerKindLabel}=ClusterServiceVersion` }, projection: "whole" },
  { type: services, ...managed },
  { type: namespaces },
  managedCrds,
  { type: apiServices },
  { type: subscriptions },
  { type: installPlans },
  { type: clusterServiceVersions, scope: { labelSelector: `!${copiedFromLabel}` } },
  { type: operatorConditions },
  { type: secrets, ...managed, projection: "metadata" },
  { type: configMaps, ...managed, projection: "metadata" },
  { type: serviceAccounts, ...managed },
  { type: roles, ...managed },
  { type: roleBindings, ...managed },
  { type: clusterRoles, ...managed },
  { type: clusterRoleBindings, ...managed },
] as readonly Pick<Watch, "type" | "scope" | "projection">[];

const componentTypes: ReadonlySet<ResourceType> = new Set(componentWatches.map(({ type }) => type));

/** Whether a new object belongs to the Operators of a CSV: as its owner, its definition or what it owns. */
export const isComponentOf = (csv: ObjectKey, type: ResourceType, object: KubeObject): boolean =>
  type === customResourceDefinitions ||
  (type === clusterServiceVersions && object.metadata.name === csv.name) ||
  (componentTypes.has(type) &&
    csvsOf(object).some(({ namespace, name }) => namespace === csv.namespace && name === csv.name));

const indexes = { component: operatorsOf, ofCsv: (object: KubeObject) => csvsOf(object).map(csvText) } as const;

const csvText = ({ namespace = "", name }: ObjectKey): string => `${namespace}/${name}`;

/** The CSVs that own an object, by reference or by labels; tenant roles belong to a copy. */
export function csvsOf({
  metadata: { namespace = "", labels = {}, ownerReferences = [] },
}: KubeObject): readonly ObjectKey[] {
  if (labels[copiedFromLabel] !== undefined) return [];
  const byReference = ownerReferences
    .filter(({ kind }) => kind === "ClusterServiceVersion")
    .map(({ name }) => ({ namespace, name }));
  const { [ownerLabel]: name, [ownerNamespaceLabel]: where, [ownerKindLabel]: kind } = labels;
  if (kind !== "ClusterServiceVersion" || name === undefined || where === undefined) return byReference;
  const isKnown = byReference.some((known) => known.name === name && known.namespace === where);
  return isKnown ? byReference : [...byReference, { namespace: where, name }];
}

/** A watch of every kind of component. */
export const watchesOfComponents = (
  map: (object: KubeObject, cache: CacheView) => readonly ObjectKey[],
): readonly Watch[] =>
  componentWatches.map((watch) => ({
    ...watch,
    indexes,
    map,
    ...(watch.type === customResourceDefinitions ? { concerned: ofDefinition(map) } : {}),
  }));

/** Many Operators may share a definition: a label that one of them gets concerns no other. */
function ofDefinition(map: NonNullable<Watch["map"]>): NonNullable<Watch["concerned"]> {
  return (change, cache) => {
    const [before = [], after = []] = [change.before, change.after].map((crd) =>
      crd === undefined ? [] : map(crd, cache),
    );
    if (changedBeyondMarks(change)) return [...before, ...after];
    const [then, now] = [new Set(before.map(formatKey)), new Set(after.map(formatKey))];
    return [...before.filter((key) => !now.has(formatKey(key))), ...after.filter((key) => !then.has(formatKey(key)))];
  };
}

/** Everything with the component label of an Operator. */
export const componentsOf = (operator: string, cache: CacheView): readonly Component[] =>
  find("component", operator, cache);

/** What a CSV owns. */
export const ownedComponents = (csv: ObjectKey, cache: CacheView): readonly Component[] =>
  find("ofCsv", csvText(csv), cache);

function find(index: keyof typeof indexes, value: string, cache: CacheView): readonly Component[] {
  return componentWatches.flatMap(({ type }) =>
    cache.byIndex(type, index, value).map((object) => ({ type: type as ResourceType, object })),
  );
}
