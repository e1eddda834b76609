import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { InformerCache } from "@purser/kubernetes/kube/informer-cache";
import type { ApiFamily } from "../../apis/api-family.ts";
import { catalogSources, clusterCatalogs } from "../../apis/olm-resources.ts";
import type { CatalogRequest } from "../../catalog/content.ts";
import type { Content } from "../../content/content.ts";
import { catalogRequest } from "../../controllers/v0/catalog-source/plan/catalog-request.ts";
import { catalogRequest as clusterCatalogRequest } from "../../controllers/v1/cluster-catalog/plan/catalog-request.ts";

/**
 * Keeps the content of every catalog of the cluster at hand in a process that does not lead, so that it answers for them like
 * the leader, and begins at once when it becomes the leader. The result ends it.
 */
export function readCatalogs(cache: InformerCache, content: Content, families: readonly ApiFamily[]): () => void {
  const follow = <Type extends KubeObject>(
    type: ResourceType<Type>,
    requestOf: (catalog: Type) => CatalogRequest | undefined,
  ): (() => void) => {
    const lease = cache.acquire<Type>({ type }, ({ before, after }) => {
      const { namespace, name } = (after ?? before)?.metadata ?? {};
      const holder = `${type.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
      const isKept = after !== undefined && after.metadata.deletionTimestamp === undefined;
      const request = isKept ? requestOf(after) : undefined;
      if (request === undefined) content.release(holder);
      else content.catalog(request, holder);
    });
    return () => lease.release();
  };
  const ends = [
    ...(families.includes("v0")
      ? [
          follow(catalogSources, (source) => {
            const request = catalogRequest(source);
            return request.ok ? request.value : undefined;
          }),
        ]
      : []),
    ...(families.includes("v1") ? [follow(clusterCatalogs, clusterCatalogRequest)] : []),
  ];
  return () => ends.forEach((end) => end());
}
