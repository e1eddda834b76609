import type { KubeObject, ObjectKey, OwnerReference } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { managedByLabel, managedByValue, ownerNameLabel, revisionAnnotation } from "../apis/v1/labels.ts";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";

function ownReference({ metadata }: ClusterObjectSet): OwnerReference {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Where an object of a revision is on the cluster. */
export function keyIn(type: ResourceType, { metadata }: KubeObject): ObjectKey {
  const { name = "", namespace } = metadata;
  return type.namespaced && namespace !== undefined ? { namespace, name } : { name };
}

/** The control plane fills the rules of an aggregated ClusterRole; applying rules would conflict with it in every pass. */
function withoutAggregatedRules(object: JsonObject): JsonObject {
  if (object["kind"] !== "ClusterRole" || !isJsonObject(object["aggregationRule"])) return object;
  const { rules: _, ...rest } = object;
  return rest;
}

/**
 * The object with the revision's labels, annotations and owner reference; the resourceVersion of `live` makes the write fail
 * when the object changed meanwhile. A controller that is no revision of the same extension loses control by this write, because an
 * object has one controller, and its owner reference by the next one, which does not name it.
 */
export function owned(
  object: JsonObject,
  type: ResourceType,
  revision: ClusterObjectSet,
  siblings: readonly ClusterObjectSet[],
  live: KubeObject | undefined,
): KubeObject {
  const family = new Set([revision, ...siblings].map(({ metadata: { uid } }) => uid));
  const superseded = (live?.metadata.ownerReferences ?? [])
    .filter(({ controller, uid }) => controller === true && !family.has(uid))
    .map((reference) => ({ ...reference, controller: false }));
  const resourceVersion = live?.metadata.resourceVersion;
  const manifest = withoutAggregatedRules(object) as unknown as KubeObject;
  const { namespace, ...metadata } = manifest.metadata;
  const owner = revision.metadata.labels?.[ownerNameLabel];
  return {
    ...manifest,
    metadata: {
      ...metadata,
      ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
      labels: {
        ...metadata.labels,
        [managedByLabel]: managedByValue,
        ...(owner === undefined ? {} : { [ownerNameLabel]: owner }),
      },
      annotations: { ...metadata.annotations, [revisionAnnotation]: String(revision.spec?.revision ?? 0) },
      ownerReferences: [ownReference(revision), ...superseded],
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
