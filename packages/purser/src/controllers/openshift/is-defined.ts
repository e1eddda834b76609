import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";

/**
 * Whether the cluster has the kind: OpenShift defines its configuration API by CustomResourceDefinitions. Never a request, but the
 * controller must watch CustomResourceDefinitions.
 */
export function isDefined(type: ResourceType, cache: CacheView): boolean {
  return cache.cached(customResourceDefinitions, { name: groupResource(type) }) !== undefined;
}
