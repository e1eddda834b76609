import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  roleBindings,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import type { ClusterRoleBinding, RoleBinding } from "@purser/kubernetes/apis/rbac";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, managedLabel } from "../../../apis/v0/labels.ts";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { authReaderNamespace, servingNames } from "../../../rollout/plan/strategy/serving-names.ts";
import { servesApis } from "../../../rollout/plan/strategy/serving-resources.ts";
import { labelledFor, ownedBy } from "./owned-by.ts";
import type { ClusterLeftover, Departure } from "./plan/departure.ts";
import { leftFor } from "../plan/left-versions.ts";
import { successor } from "./plan/relations.ts";

/**
 * The objects to clean up when a CSV is deleted, as OLM's `handleClusterServiceVersionDeletion`. They are found by their owner
 * labels alone: those of older releases lack the label of managed objects.
 */
export async function observeDeparture(csv: ClusterServiceVersion, reader: ObjectReader): Promise<Departure> {
  const { namespace = "" } = csv.metadata;
  const labelSelector = labelledFor(csv.metadata);
  const [bindings, roles, validating, mutating, services, siblings] = await Promise.all([
    reader.list(clusterRoleBindings, { labelSelector }),
    reader.list(clusterRoles, { labelSelector }),
    reader.list(validatingWebhookConfigurations, { labelSelector }),
    reader.list(mutatingWebhookConfigurations, { labelSelector }),
    reader.list(apiServices, { labelSelector }),
    reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
  ]);
  return {
    csv,
    leftovers: [
      ...named("clusterRoleBinding", bindings),
      ...named("clusterRole", roles),
      ...named("validating", validating),
      ...named("mutating", mutating),
      ...named("apiService", services),
      ...named("authReader", await authReaders(csv, siblings, reader)),
    ],
    converted: await convertedBy(csv, siblings, reader),
  };
}

/**
 * What the installs of a CSV wrote that does not exist: its deletion did not wait for the finalizer. Roles and bindings of its
 * permissions are not among it, because an InstallPlan may create them before their CSV. A CRD is found by the CSVs that it was
 * installed with.
 */
export async function observeGone(key: ObjectKey, reader: ObjectReader, cache: CacheView): Promise<Departure> {
  const { namespace = "" } = key;
  const labelSelector = ownedBy(key);
  const [services, validating, mutating, bindings, siblings] = await Promise.all([
    reader.list(apiServices, { labelSelector: labelledFor(key) }),
    reader.list(validatingWebhookConfigurations, { labelSelector }),
    reader.list(mutatingWebhookConfigurations, { labelSelector }),
    reader.list(clusterRoleBindings, { labelSelector }),
    reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
  ]);
  const taken = new Set(siblings.flatMap(conversionsOf));
  const names = cache
    .byIndex(customResourceDefinitions, alongsideIndex, `${namespace}/${key.name}`)
    .flatMap(({ metadata: { name = "" } }) => (taken.has(name) ? [] : [name]));
  return {
    leftovers: [
      ...named("apiService", services),
      ...named("validating", validating),
      ...named("mutating", mutating),
      ...named("clusterRoleBinding", bindings.filter(isAuthDelegator)),
      ...named("authReader", await orphanedReaders(namespace, siblings, reader)),
    ],
    converted: await convertingInto(namespace, names, reader),
  };
}

/** Index of CRDs by the CSVs that they were installed with, as `namespace/name`. */
export const alongsideIndex = "alongside";

const isAuthDelegator = ({ metadata: { name = "" }, roleRef }: ClusterRoleBinding): boolean =>
  roleRef.name === "system:auth-delegator" &&
  name === servingNames(deploymentOf(name, authDelegatorSuffix)).authDelegator;

/** Bindings in `kube-system` with accounts of the namespace alone, of Deployments that no CSV there serves with. */
async function orphanedReaders(
  namespace: string,
  siblings: readonly ClusterServiceVersion[],
  reader: ObjectReader,
): Promise<readonly RoleBinding[]> {
  const all = await reader.list(roleBindings, {
    namespace: authReaderNamespace,
    labelSelector: `${managedLabel}=true`,
  });
  return all.filter((binding) => {
    const deployment = readingDeployment(binding);
    return (
      deployment !== undefined &&
      hasAccountsOf(namespace, binding) &&
      !siblings.some((sibling) => servesApis(sibling, deployment))
    );
  });
}

/** The Deployment that a binding in `kube-system` was made for; undefined for a binding that no install made. */
export function readingDeployment({ metadata, roleRef }: RoleBinding): string | undefined {
  const { name = "", namespace } = metadata;
  const deployment = deploymentOf(name, authReaderSuffix);
  const isReader =
    namespace === authReaderNamespace &&
    roleRef.name === "extension-apiserver-authentication-reader" &&
    name === servingNames(deployment).authReader;
  return isReader ? deployment : undefined;
}

const [authDelegatorSuffix, authReaderSuffix] = [servingNames("").authDelegator, servingNames("").authReader];
const deploymentOf = (name: string, suffix: string): string => name.slice(0, -suffix.length);

const hasAccountsOf = (namespace: string, { subjects = [] }: RoleBinding): boolean =>
  subjects.length > 0 && subjects.every((subject) => subject.namespace === namespace);

function named(kind: ClusterLeftover["kind"], objects: readonly KubeObject[]): readonly ClusterLeftover[] {
  return objects.map(({ metadata: { name = "" } }) => ({ kind, name }));
}

/**
 * The bindings in `kube-system` of Deployments that serve for this CSV and no other. Their names do not hold the namespace, so
 * one whose account is of another namespace belongs to another operator.
 */
async function authReaders(
  csv: ClusterServiceVersion,
  siblings: readonly ClusterServiceVersion[],
  reader: ObjectReader,
): Promise<readonly RoleBinding[]> {
  const others = siblings.filter(
    ({ metadata }) => metadata.name !== csv.metadata.name && metadata.deletionTimestamp === undefined,
  );
  const names = (csv.spec.install.spec?.deployments ?? [])
    .map(({ name }) => name)
    .filter((name) => servesApis(csv, name) && !others.some((other) => servesApis(other, name)))
    .map((name) => servingNames(name).authReader);
  const found = await Promise.all(
    names.map((name) => reader.get(roleBindings, { namespace: authReaderNamespace, name })),
  );
  const { namespace = "" } = csv.metadata;
  return found.flatMap((binding) => (binding !== undefined && hasAccountsOf(namespace, binding) ? [binding] : []));
}

const conversionsOf = ({ spec }: ClusterServiceVersion): readonly string[] =>
  (spec.webhookdefinitions ?? [])
    .filter(({ type }) => type === "ConversionWebhook")
    .flatMap(({ conversionCRDs }) => conversionCRDs ?? []);

/**
 * Those that a replacement which is being installed or is installed converts itself are not among them, nor those of the version that
 * an automatic rollback leads to.
 */
async function convertedBy(
  csv: ClusterServiceVersion,
  siblings: readonly ClusterServiceVersion[],
  reader: ObjectReader,
): Promise<readonly CustomResourceDefinition[]> {
  const next = leftFor(csv, siblings) ?? successor(csv, siblings);
  const phase = next?.status?.phase ?? "";
  const taken = next === undefined || phase === "" || phase === "Pending" ? [] : conversionsOf(next);
  const names = conversionsOf(csv).filter((name) => !taken.includes(name));
  return convertingInto(csv.metadata.namespace ?? "", names, reader);
}

/** Those of the CRDs that convert through a Service of the namespace. */
async function convertingInto(
  namespace: string,
  names: readonly string[],
  reader: ObjectReader,
): Promise<readonly CustomResourceDefinition[]> {
  const found = await Promise.all([...new Set(names)].map((name) => reader.get(customResourceDefinitions, { name })));
  return found.flatMap((crd) => {
    const service = crd?.spec.conversion?.webhook?.clientConfig?.service;
    return crd !== undefined && service?.namespace === namespace ? [crd] : [];
  });
}
