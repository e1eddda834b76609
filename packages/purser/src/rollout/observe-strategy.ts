import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  apiServices,
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  roleBindings,
  roles,
  secrets,
  services,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups, subscriptions } from "../apis/olm-resources.ts";
import { copiedFromLabel } from "../apis/v0/labels.ts";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { ownerOf } from "./plan/csv-owner.ts";
import { servingNames } from "./plan/serving-names.ts";
import { servesApis } from "./plan/serving-resources.ts";
import type { StrategyWorld } from "./plan/strategy-world.ts";

/** Reads everything that installing and checking one CSV needs. Every read is by name or by namespace. */
export async function observeStrategy(reader: ObjectReader, csv: ClusterServiceVersion): Promise<StrategyWorld> {
  const owner = ownerOf(csv);
  const { namespace } = owner;
  const inNamespace = { namespace };
  const labelSelector = Object.entries(owner.labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const descriptions = csv.spec.webhookdefinitions ?? [];
  const served = (csv.spec.install.spec?.deployments ?? [])
    .map(({ name }) => name)
    .filter((name) => servesApis(csv, name))
    .map((name) => servingNames(name));
  const named = async <Type extends KubeObject>(
    type: ResourceType<Type>,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, Type>> => {
    const key = (name: string): ObjectKey => (type.namespaced ? { namespace, name } : { name });
    const found = await Promise.all(
      [...new Set(names)].map(async (name) => [name, await reader.get(type, key(name))] as const),
    );
    return new Map(found.flatMap(([name, object]) => (object === undefined ? [] : [[name, object]])));
  };
  const certificates = served.map(({ secret }) => secret);
  return {
    csv,
    deployments: await reader.list(deployments, { namespace, labelSelector }),
    subscriptions: await reader.list(subscriptions, inNamespace),
    operatorGroups: await reader.list(operatorGroups, inNamespace),
    siblings: await reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    apiServices: await named(
      apiServices,
      (csv.spec.apiservicedefinitions?.owned ?? []).map(({ version, group }) => `${version}.${group}`),
    ),
    services: await named(
      services,
      served.map(({ service }) => service),
    ),
    secrets: await named(secrets, certificates),
    roles: await named(roles, certificates),
    roleBindings: await named(roleBindings, certificates),
    validatingWebhooks: await reader.list(validatingWebhookConfigurations, { labelSelector }),
    mutatingWebhooks: await reader.list(mutatingWebhookConfigurations, { labelSelector }),
    crds: await named(
      customResourceDefinitions,
      descriptions.flatMap(({ conversionCRDs }) => conversionCRDs ?? []),
    ),
  };
}
