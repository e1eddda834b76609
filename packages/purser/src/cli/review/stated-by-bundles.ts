import type { Property } from "../../catalog/catalog-index.ts";
import type { PropertiesOfBundle } from "../../engine/review/unneeded-extensions.ts";
import type { Invocation } from "../command.ts";
import { openWorld } from "../decision/decision-world.ts";

/** Opens what the installed bundles of ClusterExtensions state by the catalogs of the cluster, and closes the catalogs again. */
export function statedByBundles(invocation: Invocation): () => Promise<PropertiesOfBundle> {
  return async () => {
    const opened = await openWorld(invocation, { bundles: "none" });
    if (!opened.ok) return () => undefined;
    const { snapshot, contentOfCatalog } = opened.value.world;
    const found = new Map<string, readonly Property[]>();
    for (const catalog of snapshot.clusterCatalogs) {
      const content = contentOfCatalog(catalog);
      if (content.kind !== "present") continue;
      for (const { spec, status } of snapshot.clusterExtensions) {
        const channels = content.index.package(spec?.source.catalog?.packageName ?? "")?.channels ?? [];
        const bundle = channels
          .flatMap(({ bundles }) => bundles)
          .find(({ name }) => name === status?.install?.bundle.name);
        if (bundle !== undefined) found.set(bundle.name, bundle.properties);
      }
    }
    await opened.value.close();
    return (bundle) => found.get(bundle);
  };
}
