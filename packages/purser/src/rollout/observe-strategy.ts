import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  apiServices,
  clusterRoleBindings,
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups, subscriptions } from "../apis/olm-resources.ts";
import type { Proxy } from "../apis/openshift.ts";
import { copiedFromLabel } from "../apis/v0/labels.ts";
import { serviceHosts } from "@purser/kubernetes/certificate/service-certificate";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { ownerOf } from "./plan/strategy/csv-owner.ts";
import { authReaderNamespace, servingNames } from "./plan/strategy/serving-names.ts";
import { podAccount, servesApis } from "./plan/strategy/serving-resources.ts";
import type { StrategyWorld } from "./plan/strategy/strategy-world.ts";
import { olderServing } from "./older-serving.ts";
import { storedCertificate, unreadableCertificate } from "./stored-certificate.ts";

/**
 * Reads everything that installing and checking one CSV needs. Every read is by name or by namespace.
 * @param proxy the cluster's, where it has one
 */
export async function observeStrategy(
  reader: ObjectReader,
  csv: ClusterServiceVersion,
  proxy?: Proxy,
): Promise<StrategyWorld> {
  const owner = ownerOf(csv);
  const { namespace } = owner;
  const inNamespace = { namespace };
  const labelSelector = Object.entries(owner.labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const named = async <Type extends KubeObject>(
    type: ResourceType<Type>,
    names: readonly string[],
    where: string = namespace,
  ): Promise<ReadonlyMap<string, Type>> => {
    const key = (name: string): ObjectKey => (type.namespaced ? { namespace: where, name } : { name });
    const found = await Promise.all(
      [...new Set(names)].map(async (name) => [name, await reader.get(type, key(name))] as const),
    );
    return new Map(found.flatMap(([name, object]) => (object === undefined ? [] : [[name, object]])));
  };
  const descriptions = csv.spec.webhookdefinitions ?? [];
  const owned = csv.spec.apiservicedefinitions?.owned ?? [];
  const serving = (csv.spec.install.spec?.deployments ?? []).filter(({ name }) => servesApis(csv, name));
  const served = serving.map(({ name }) => servingNames(name));
  const secretNames = served.map(({ secret }) => secret);
  const live = await reader.list(deployments, { namespace, labelSelector });
  const ownedServices = await named(
    apiServices,
    owned.map(({ version, group }) => `${version}.${group}`),
  );
  const liveSecrets = await named(secrets, secretNames);
  // Webhooks alone are not checked for what an extension API server needs.
  const apis = serving.filter((entry) => owned.some(({ deploymentName }) => deploymentName === entry.name));
  const ofApis = apis.map(({ name }) => servingNames(name));
  return {
    csv,
    deployments: live,
    subscriptions: await reader.list(subscriptions, inNamespace),
    proxy,
    operatorGroups: await reader.list(operatorGroups, inNamespace),
    siblings: await reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    apiServices: ownedServices,
    services: await named(
      services,
      served.map(({ service }) => service),
    ),
    secrets: liveSecrets,
    certificates: new Map(
      serving.flatMap(({ name }) => {
        const { secret, service } = servingNames(name);
        const held = liveSecrets.get(secret);
        return held === undefined ? [] : [[name, storedCertificate(held, serviceHosts(service, namespace))]];
      }),
    ),
    unreadableAuthorities: new Map(
      [...ownedServices].flatMap(([name, { spec }]) => {
        const fault = unreadableCertificate(spec?.caBundle);
        return fault === undefined ? [] : [[name, fault]];
      }),
    ),
    roles: await named(roles, secretNames),
    roleBindings: await named(roleBindings, secretNames),
    authDelegators: await named(
      clusterRoleBindings,
      ofApis.map(({ authDelegator }) => authDelegator),
    ),
    authReaders: await named(
      roleBindings,
      ofApis.map(({ authReader }) => authReader),
      authReaderNamespace,
    ),
    olderServing: await olderServing(reader, csv),
    serviceAccounts: await named(
      serviceAccounts,
      live
        .filter(({ metadata }) => apis.some(({ name }) => name === metadata.name))
        .map(({ spec }) => podAccount(spec?.template)),
    ),
    validatingWebhooks: await reader.list(validatingWebhookConfigurations, { labelSelector }),
    mutatingWebhooks: await reader.list(mutatingWebhookConfigurations, { labelSelector }),
    crds: await named(
      customResourceDefinitions,
      descriptions.flatMap(({ conversionCRDs }) => conversionCRDs ?? []),
    ),
  };
}
