import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { clusterCatalogs } from "../../../apis/olm-resources.ts";
import type { ClusterCatalog } from "../../../apis/v1/cluster-catalog.ts";
import type { ContentState } from "../../../catalog/content-state.ts";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { written } from "@purser/kubernetes/kube/refusal";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { CatalogContent, Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import type { ClusterCatalogAction, ClusterCatalogWorld } from "./plan/plan-cluster-catalog.ts";
import { planClusterCatalog } from "./plan/plan-cluster-catalog.ts";

/** Index of ClusterCatalogs by the image they name. */
export const clusterCatalogImageIndex = {
  image: (catalog: ClusterCatalog): readonly string[] => [catalog.spec.source.image?.ref ?? ""],
};

/** Where a ClusterCatalog's content stands; undefined while it is switched off or names no image. */
export function clusterCatalogContent({ spec }: ClusterCatalog, content: CatalogContent): ContentState | undefined {
  const reference = spec.source.image?.ref;
  if (spec.availabilityMode === "Unavailable" || reference === undefined) return undefined;
  return content.need({ kind: "catalog", reference });
}

/** Shows where the content of every ClusterCatalog stands; the only writer of their status. */
export function clusterCatalogController({ content, catalogOrigin }: Surroundings): Controller {
  return defineController<ClusterCatalogWorld | undefined, ClusterCatalogAction, KubeObject[]>({
    name: "cluster-catalog",
    watches: [watching<ClusterCatalog>({ type: clusterCatalogs, indexes: clusterCatalogImageIndex })],
    wakes: [
      async function* (signal, cache) {
        for await (const changed of content.changes(signal))
          if (changed.kind === "catalog") yield* cache.byIndex(clusterCatalogs, "image", changed.reference).map(keyOf);
      },
    ],
    steps: {
      async observe(key, { reader }) {
        const catalog = await reader.get(clusterCatalogs, key);
        return catalog === undefined
          ? undefined
          : { catalog, content: clusterCatalogContent(catalog, content), origin: catalogOrigin };
      },
      plan: (world, { now }) => planClusterCatalog(world, now),
      async apply(key, action, { reader, writer, events, signal }) {
        if (action.kind === "label") {
          const patch = { metadata: { labels: action.labels } };
          written(await writer.write({ verb: "patch", type: clusterCatalogs, key, patchType: "merge", patch }, signal));
          return;
        }
        const catalog = await reader.get(clusterCatalogs, key);
        if (catalog === undefined) return;
        const result = await writer.write(replaceStatus(clusterCatalogs, catalog, action.status), signal);
        if (!result.ok && result.problem.kind !== "notFound") written(result);
        if (action.announce !== undefined)
          events.record(catalog, "Warning", action.announce.reason, action.announce.message);
      },
    },
  });
}
