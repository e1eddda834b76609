import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
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
    ],
    converted: successor(csv, siblings) === undefined ? await convertedBy(csv, reader) : [],
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

async function convertedBy(
  csv: ClusterServiceVersion,
  reader: ObjectReader,
): Promise<readonly CustomResourceDefinition[]> {
  const names = (csv.spec.webhookdefinitions ?? [])
    .filter(({ type }) => type === "ConversionWebhook")
    .flatMap(({ conversionCRDs }) => conversionCRDs ?? []);
  const found = await Promise.all([...new Set(names)].map((name) => reader.get(customResourceDefinitions, { name })));
  return found.flatMap((crd) => {
    const service = crd?.spec.conversion?.webhook?.clientConfig?.service;
    return crd !== undefined && service?.namespace === csv.metadata.namespace ? [crd] : [];
  });
}
