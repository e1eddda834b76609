import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { listOf } from "../../explanation/summary.ts";
import { flagOption, type Invocation } from "../command.ts";

/**
 * The world with what the package API of the cluster says of CatalogSources whose content this machine lacks; stderr names them. For
 * finding packages only: the API has no upgrade edges.
 */
export async function withPackageApi(
  invocation: Invocation,
  world: DecisionWorld,
  client: KubeClient | undefined,
): Promise<DecisionWorld> {
  const { terminal, signal } = invocation;
  const missing = world.snapshot.catalogSources.filter((one) => world.contentOfSource(one).kind === "unavailable");
  if (client === undefined || missing.length === 0) return world;
  const { ManifestContent } = await import("../../engine/remote-catalogs/manifest-content.ts");
  const api = new ManifestContent(client, { cacheDirectory: defaultCacheDirectory(terminal.env) });
  const found = new Map<string, CatalogIndex>();
  for (const source of missing) {
    const { namespace = "", name = "" } = source.metadata;
    const index = await api.of(source, signal);
    if (index.ok) found.set(`${namespace}/${name}`, index.value);
  }
  if (found.size > 0 && !flagOption(invocation, "quiet"))
    terminal.err(
      `${listOf([...found.keys()], 4)}: as the package API of the cluster describes it, which has no upgrade edges`,
    );
  return {
    ...world,
    contentOfSource: (source) => {
      const index = found.get(`${source.metadata.namespace}/${source.metadata.name}`);
      return index === undefined ? world.contentOfSource(source) : { kind: "present", index };
    },
  };
}
