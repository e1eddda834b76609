import { clusterCatalogs } from "../../apis/olm-resources.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { keptContent } from "../../engine/snapshot/snapshot-live.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Invocation } from "../command.ts";
import type { Connection } from "./connect.ts";

/** Reads into the cache what ClusterCatalogs serve and this machine lacks; returns why not, by the catalog's name. */
async function keepMissing(
  { terminal, signal }: Invocation,
  { transport, access }: Connection,
  missing: readonly ClusterCatalog[],
): Promise<ReadonlyMap<string, string>> {
  const causes = new Map<string, string>();
  if (missing.length === 0) return causes;
  const { keepServedContent } = await import("../../engine/remote-catalogs/served-content.ts");
  const from = { transport, server: access.server, cacheDirectory: defaultCacheDirectory(terminal.env) };
  for (const catalog of missing) {
    const { name = "" } = catalog.metadata;
    terminal.progress(`reading catalog ${name} from the cluster`);
    const kept = await keepServedContent(catalog, from, signal);
    if (!kept.ok) causes.set(name, kept.problem);
  }
  terminal.progress("");
  return causes;
}

const isMissing =
  (kept: KeptCatalogs) =>
  (catalog: ClusterCatalog): boolean =>
    catalog.status?.urls !== undefined &&
    catalog.spec.availabilityMode !== "Unavailable" &&
    kept.ofCatalog(catalog) === undefined;

/** The world of a cluster with the catalogs that only the cluster holds: they are read from it, once per digest. */
export async function withServedCatalogs(
  invocation: Invocation,
  connection: Connection,
  world: DecisionWorld,
  kept: KeptCatalogs,
): Promise<DecisionWorld> {
  const missing = world.snapshot.clusterCatalogs.filter(isMissing(kept));
  if (missing.length === 0) return world;
  const causes = await keepMissing(invocation, connection, missing);
  const now = new KeptCatalogs(defaultCacheDirectory(invocation.terminal.env));
  return {
    ...world,
    contentOfSource: (source) => {
      const before = world.contentOfSource(source);
      return before.kind === "present" ? before : keptContent(now.ofSource(source), before.cause);
    },
    contentOfCatalog: (catalog) => {
      const before = world.contentOfCatalog(catalog);
      if (before.kind === "present") return before;
      return keptContent(now.ofCatalog(catalog), causes.get(catalog.metadata.name ?? "") ?? before.cause);
    },
  };
}

/** The catalogs in the cache of this machine, after those that only the cluster holds were read from it. */
export async function keptWithServed(invocation: Invocation, connection: Connection): Promise<KeptCatalogs> {
  const kept = new KeptCatalogs(defaultCacheDirectory(invocation.terminal.env));
  const missing = (await connection.client.list(clusterCatalogs)).filter(isMissing(kept));
  if (missing.length === 0) return kept;
  await keepMissing(invocation, connection, missing);
  return new KeptCatalogs(defaultCacheDirectory(invocation.terminal.env));
}
