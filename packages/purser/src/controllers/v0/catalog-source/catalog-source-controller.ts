import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { catalogSources } from "../../../apis/olm-resources.ts";
import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { written } from "@purser/kubernetes/kube/refusal";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import type { CatalogSourceAction, CatalogSourceWorld } from "./plan/plan-catalog-source.ts";
import { planCatalogSource, specProblem } from "./plan/plan-catalog-source.ts";

/** Index of CatalogSources by the image they name; content that changed is mapped to keys through it. */
export const catalogImageIndex = { image: (source: CatalogSource): readonly string[] => [source.spec.image ?? ""] };

/** Shows where the content of every CatalogSource stands; the only writer of their status. No pods: the process reads catalogs itself. */
export function catalogSourceController({ content }: Surroundings): Controller {
  return defineController<CatalogSourceWorld | undefined, CatalogSourceAction, KubeObject[]>({
    name: "catalog-source",
    watches: [watching<CatalogSource>({ type: catalogSources, indexes: catalogImageIndex })],
    wakes: [
      async function* (signal, cache) {
        for await (const changed of content.changes(signal))
          if (changed.kind === "catalog") yield* cache.byIndex(catalogSources, "image", changed.reference).map(keyOf);
      },
    ],
    steps: {
      async observe(key, { reader }) {
        const source = await reader.get(catalogSources, key);
        if (source === undefined) return undefined;
        const image = source.spec.image ?? "";
        const readable = specProblem(source) === undefined;
        return { source, content: readable ? content.need({ kind: "catalog", reference: image }) : undefined };
      },
      plan: (world, { now }) => planCatalogSource(world, now),
      async apply(key, { status, warning }, { reader, writer, events, signal }) {
        const source = await reader.get(catalogSources, key);
        if (source === undefined) return;
        const result = await writer.write(replaceStatus(catalogSources, source, status), signal);
        if (!result.ok && result.problem.kind !== "notFound") written(result);
        if (warning !== undefined) events.record(source, "Warning", status.reason ?? "CatalogUnavailable", warning);
      },
    },
  });
}
