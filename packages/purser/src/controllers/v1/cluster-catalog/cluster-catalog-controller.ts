import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { clusterCatalogs } from "../../../apis/olm-resources.ts";
import type { ClusterCatalog } from "../../../apis/v1/cluster-catalog.ts";
import { sourceKey } from "../../../catalog/content.ts";
import type { CatalogContent, Content } from "../../../content/content.ts";
import { causedBy } from "@purser/kubernetes/kube/controller/caused-key";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { catalogRequest } from "./plan/catalog-request.ts";
import type { ClusterCatalogAction, ClusterCatalogWorld } from "./plan/plan-cluster-catalog.ts";
import { planClusterCatalog } from "./plan/plan-cluster-catalog.ts";

/** Index of ClusterCatalogs by the source of their content; a notice is mapped to keys through it. */
const contentIndex = {
  content: (catalog: ClusterCatalog): readonly string[] => {
    const request = catalogRequest(catalog);
    return request === undefined ? [] : [sourceKey(request.source)];
  },
};

/**
 * A ClusterCatalog's content; undefined while it is switched off or names no image.
 * @param holder see `Content.catalog`
 */
export function clusterCatalogContent(
  catalog: ClusterCatalog,
  content: Content,
  holder?: string,
): CatalogContent | undefined {
  const request = catalogRequest(catalog);
  return request === undefined ? undefined : content.catalog(request, holder);
}

/** Reports the state of every ClusterCatalog's content and releases that of a deleted one; the only writer of their status. */
export function clusterCatalogController({ content, catalogOrigin, compat }: Surroundings): Controller {
  const texts = compat.keepsUpstream("condition-texts") ? { hasPlainTexts: true as const } : {};
  return defineController<ClusterCatalogWorld | undefined, ClusterCatalogAction, KubeObject[]>({
    name: "cluster-catalog",
    watches: [watching<ClusterCatalog>({ type: clusterCatalogs, indexes: contentIndex })],
    wakes: [
      async function* (signal, cache) {
        for await (const { kind, key, cause } of content.notices(signal))
          if (kind === "catalog") yield* causedBy(cause, cache.byIndex(clusterCatalogs, "content", key).map(keyOf));
      },
    ],
    steps: {
      async observe(key, { reader }) {
        const catalog = await reader.get(clusterCatalogs, key);
        const holder = `ClusterCatalog ${key.name}`;
        const isKept = catalog !== undefined && catalog.metadata.deletionTimestamp === undefined;
        const found = isKept ? clusterCatalogContent(catalog, content, holder) : undefined;
        if (found === undefined) content.release(holder);
        if (catalog === undefined) return undefined;
        const faults = found?.index?.faults;
        return {
          catalog,
          content: found?.state,
          ...(faults === undefined ? {} : { faults }),
          origin: catalogOrigin,
          ...texts,
        };
      },
      plan: (world, { now }) => planClusterCatalog(world, now),
      async apply(key, action, { reader, writer, events, signal }) {
        if (action.kind === "finalizers") {
          writtenUnlessDeleted(await writer.write(action.write, signal));
          return;
        }
        if (action.kind === "label") {
          const patch = { metadata: { labels: action.labels } };
          written(await writer.write({ verb: "patch", type: clusterCatalogs, key, patchType: "merge", patch }, signal));
          return;
        }
        const catalog = await reader.get(clusterCatalogs, key);
        if (catalog === undefined) return;
        writtenUnlessDeleted(await writer.write(replaceStatus(clusterCatalogs, catalog, action.status), signal));
        if (action.announce !== undefined)
          events.record(catalog, action.announce.type, action.announce.reason, action.announce.message);
      },
    },
  });
}
