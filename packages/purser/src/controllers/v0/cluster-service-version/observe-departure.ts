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
import type { RoleBinding } from "@purser/kubernetes/apis/rbac";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { authReaderNamespace, servingNames } from "../../../rollout/plan/serving-names.ts";
import { servesApis } from "../../../rollout/plan/serving-resources.ts";
import { ownedBy } from "./owned-by.ts";
import type { ClusterLeftover, Departure } from "./plan/departure.ts";
import { successor } from "./plan/relations.ts";

/** The objects to clean up when a CSV is deleted, as OLM's `handleClusterServiceVersionDeletion`. */
export async function observeDeparture(csv: ClusterServiceVersion, reader: ObjectReader): Promise<Departure> {
  const { namespace = "" } = csv.metadata;
  const labelSelector = ownedBy(csv.metadata);
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
 * APIServices with the owner labels of a CSV that does not exist. Other kinds are not deleted, because an InstallPlan may
 * create them before their CSV.
 */
export async function observeGone(key: ObjectKey, reader: ObjectReader): Promise<Departure> {
  const services = await reader.list(apiServices, { labelSelector: ownedBy(key) });
  return { leftovers: named("apiService", services), converted: [] };
}

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
  return found.flatMap((binding) => {
    const subjects = binding?.subjects ?? [];
    const isOwn = subjects.length > 0 && subjects.every(({ namespace }) => namespace === csv.metadata.namespace);
    return binding !== undefined && isOwn ? [binding] : [];
  });
}

const conversionsOf = ({ spec }: ClusterServiceVersion): readonly string[] =>
  (spec.webhookdefinitions ?? [])
    .filter(({ type }) => type === "ConversionWebhook")
    .flatMap(({ conversionCRDs }) => conversionCRDs ?? []);

/** Those that a replacement which is being installed or is installed converts itself are not among them. */
async function convertedBy(
  csv: ClusterServiceVersion,
  siblings: readonly ClusterServiceVersion[],
  reader: ObjectReader,
): Promise<readonly CustomResourceDefinition[]> {
  const next = successor(csv, siblings);
  const phase = next?.status?.phase ?? "";
  const taken = next === undefined || phase === "" || phase === "Pending" ? [] : conversionsOf(next);
  const names = conversionsOf(csv).filter((name) => !taken.includes(name));
  const found = await Promise.all([...new Set(names)].map((name) => reader.get(customResourceDefinitions, { name })));
  return found.flatMap((crd) => {
    const service = crd?.spec.conversion?.webhook?.clientConfig?.service;
    return crd !== undefined && service?.namespace === csv.metadata.namespace ? [crd] : [];
  });
}
