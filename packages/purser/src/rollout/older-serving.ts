import { keyOf, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterRoleBindings, roleBindings, roles, secrets, services } from "@purser/kubernetes/apis/resources";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { managedLabel } from "../apis/v0/labels.ts";
import { hasOwnerLabels, ownerOf } from "./plan/strategy/csv-owner.ts";
import { authReaderNamespace, olderServingNames, servingNames } from "./plan/strategy/serving-names.ts";
import type { ServingObject, StrategyWorld } from "./plan/strategy/strategy-world.ts";
import { failureOf, type WriteFailure } from "./write-failure.ts";

/**
 * The objects with the owner labels of the CSV under the names of older releases of OLM. Found by their Service, which informers of managed
 * objects show: without one nothing else is read.
 */
export async function olderServing(
  reader: ObjectReader,
  csv: ClusterServiceVersion,
): Promise<readonly ServingObject[]> {
  const owned = csv.spec.apiservicedefinitions?.owned ?? [];
  if (owned.length === 0) return [];
  const owner = ownerOf(csv);
  const { namespace } = owner;
  const labelSelector = Object.entries({ ...owner.labels, [managedLabel]: "true" })
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const held = await reader.list(services, { namespace, labelSelector });
  const found = owned.map(async (api): Promise<readonly ServingObject[]> => {
    const names = olderServingNames(api);
    const service = held.find(({ metadata }) => metadata.name === names.service);
    if (service === undefined || names.service === servingNames(api.deploymentName ?? "").service) return [];
    const beside: readonly (readonly [type: ResourceType, name: string, namespace?: string])[] = [
      [secrets, names.secret, namespace],
      [roles, names.secret, namespace],
      [roleBindings, names.secret, namespace],
      [clusterRoleBindings, names.authDelegator],
      [roleBindings, names.authReader, authReaderNamespace],
    ];
    const objects = await Promise.all(
      beside.map(async ([type, name, where]): Promise<readonly ServingObject[]> => {
        const object = await reader.get(type, where === undefined ? { name } : { namespace: where, name });
        return object !== undefined && hasOwnerLabels(object.metadata.labels, owner)
          ? [servingObject(type, object)]
          : [];
      }),
    );
    return [...objects.flat(), servingObject(services, service)];
  });
  return (await Promise.all(found)).flat();
}

const servingObject = (type: ResourceType, object: KubeObject): ServingObject => ({
  type,
  key: keyOf(object),
  uid: object.metadata.uid ?? "",
});

/** Deletes them, each only if it is still the one that was seen. */
export async function deleteOlderServing(
  { olderServing: objects }: StrategyWorld,
  writer: ObjectWriter,
  signal: AbortSignal,
): Promise<Result<undefined, WriteFailure>> {
  for (const { type, key, uid } of objects) {
    const deleted = await writer.write({ verb: "delete", type, key, preconditions: { uid } }, signal);
    if (!deleted.ok && deleted.problem.kind !== "notFound" && deleted.problem.kind !== "conflict")
      return failed(failureOf(deleted.problem));
  }
  return done(undefined);
}
