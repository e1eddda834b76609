import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectChange } from "@purser/kubernetes/kube/informer-cache";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import { clusterServiceVersions, installPlans, operators, subscriptions } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { beyondStatus } from "../../beyond-status.ts";
import { watching } from "../../watching.ts";
import { componentsOf, csvsOf, ownedComponents, watchesOfComponents } from "./component-watches.ts";
import { operatorsOf } from "./plan/component-label.ts";
import type { AdoptionAction, SubscriptionAdoptionWorld } from "./plan/plan-adoption.ts";
import { planCsvAdoption, planSubscriptionAdoption, referredTo } from "./plan/plan-adoption.ts";
import type { Component, OperatorAction, OperatorWorld } from "./plan/plan-operator.ts";
import { planOperator } from "./plan/plan-operator.ts";

/** Every observation is from the caches, never a request. */
const apply = async (
  _key: ObjectKey,
  { write }: { readonly write: ObjectWrite },
  { writer, signal }: ApplyContext,
): Promise<void> => {
  writtenUnlessDeleted(await writer.write(write, signal));
};

/** How late labels of components may be while operators are installed, and the statuses of Operators, which are large and list them. */
const [labelsMs, statusMs] = [3_000, 10_000];

/** Keeps an Operator for every package that a Subscription has installed, with all that belongs to it. A key is its name. */
export function operatorController(): Controller {
  return defineController<OperatorWorld, OperatorAction, KubeObject[]>({
    name: "operator",
    backgroundMs: statusMs,
    watches: [
      watching({ type: operators }),
      ...watchesOfComponents((object) => operatorsOf(object).map((name) => ({ name }))),
    ],
    steps: {
      observe: async ({ name }, { cache }) => ({
        name,
        operator: cache.cached(operators, { name }),
        components: componentsOf(name, cache),
      }),
      plan: (world) => planOperator(world),
      apply,
    },
  });
}

const inNamespace = { namespace: ({ metadata }: KubeObject) => [metadata.namespace ?? ""] } as const;
const theNamespace = ({ metadata }: KubeObject): readonly ObjectKey[] => [{ name: metadata.namespace ?? "" }];

/** Labels what Subscriptions refer to as components. A key is a namespace. */
export function subscriptionAdoptionController(): Controller {
  return defineController<SubscriptionAdoptionWorld, AdoptionAction, KubeObject[]>({
    name: "subscription-adoption",
    backgroundMs: labelsMs,
    watches: [
      watching<Subscription>({
        type: subscriptions,
        indexes: inNamespace,
        when: beyondStatus(referredTo),
        map: theNamespace,
      }),
      watching({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        indexes: inNamespace,
        when: beyondStatus(),
        map: theNamespace,
      }),
      watching({ type: installPlans, indexes: inNamespace, when: beyondStatus(), map: theNamespace }),
    ],
    steps: {
      observe: async ({ name }, { cache }) => ({
        namespace: name,
        subscriptions: cache.byIndex(subscriptions, "namespace", name),
        csvs: cache.byIndex(clusterServiceVersions, "namespace", name),
        installPlans: cache.byIndex(installPlans, "namespace", name),
      }),
      plan: (world) => planSubscriptionAdoption(world),
      apply,
    },
  });
}

interface CsvAdoptionWorld {
  readonly csv: ClusterServiceVersion | undefined;
  readonly components: readonly Component[];
}

/** Labels what belongs to a CSV as components of its Operators. A key is that of a CSV. */
export function csvAdoptionController(): Controller {
  return defineController<CsvAdoptionWorld, AdoptionAction, KubeObject[]>({
    name: "csv-adoption",
    backgroundMs: labelsMs,
    watches: [
      watching({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        indexes: {
          owns: (csv: ClusterServiceVersion) => ownedCrds(csv),
        },
        when: beyondStatus(),
        map: (csv) => [keyOf(csv)],
      }),
      watching({
        type: customResourceDefinitions,
        projection: "metadata",
        when: isNewOrLostLabels,
        map: (crd, cache) => cache.byIndex(clusterServiceVersions, "owns", crd.metadata.name ?? "").map(keyOf),
      }),
      ...watchesOfComponents(csvsOf),
    ],
    steps: {
      observe: async (key, { cache }) => {
        const held = cache.cached(clusterServiceVersions, key);
        const csv = held?.metadata.labels?.[copiedFromLabel] === undefined ? held : undefined;
        if (csv === undefined) return { csv, components: [] };
        const crds = ownedCrds(csv).flatMap((name) => cache.cached(customResourceDefinitions, { name }) ?? []);
        return {
          csv,
          components: [
            ...ownedComponents(key, cache),
            ...crds.map((object) => ({ type: customResourceDefinitions, object })),
          ],
        };
      },
      plan: ({ csv, components }) => planCsvAdoption(csv, components),
      apply,
    },
  });
}

/** A definition that got the label of one Operator lacks none for the others. */
const isNewOrLostLabels = ({ before, after }: ObjectChange): boolean =>
  before?.metadata.uid !== after?.metadata.uid ||
  (before !== undefined &&
    after !== undefined &&
    operatorsOf(before).some((name) => !operatorsOf(after).includes(name)));

const ownedCrds = ({ spec }: ClusterServiceVersion): readonly string[] =>
  (spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name);
