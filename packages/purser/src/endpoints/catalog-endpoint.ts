import { clusterCatalogs } from "../apis/olm-resources.ts";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import type { Compat } from "../compat.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Content } from "../content/content.ts";
import { clusterCatalogContent } from "../controllers/v1/cluster-catalog/cluster-catalog-controller.ts";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { Counters } from "@purser/kubernetes/kube/counters";
import type { Log } from "@purser/kubernetes/kube/log";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { type CatalogListener, serveCatalogs } from "../registry-api/http/catalog-listener.ts";
import type { ServerCertificates } from "../registry-api/http/tls-server.ts";
import type { ListenProblem } from "../registry-api/http/listening.ts";
import { servedIndex, type ServedCatalog } from "../registry-api/http/served-catalog.ts";
import { done, type Result } from "@purser/kubernetes/result";
import { defaultGates, type FeatureGates } from "../feature-gates.ts";
import { CatalogQueries, queryOn } from "../registry-api/graphql/catalog-queries.ts";

export interface CatalogEndpointOptions {
  readonly reader: Pick<ObjectReader, "get">;
  readonly content: Content;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  /** Told of every answer, as upstream's catalogd counts them. */
  readonly metrics: Counters;
  readonly compat: Compat;
  readonly gates?: FeatureGates;
}

/**
 * Serves every ClusterCatalog whose content this process has under `/catalogs/NAME/api/v1/`, like upstream's catalogd.
 * Every replica can serve, whether it is the leader or not.
 */
export async function serveClusterCatalogs(
  options: CatalogEndpointOptions,
  listen: { readonly host: string; readonly port: number; readonly certificates?: ServerCertificates },
): Promise<Result<CatalogListener, ListenProblem>> {
  const { log, metrics, clock, gates = defaultGates } = options;
  const queries = gates.GraphQLCatalogQueries ? new CatalogQueries({ clock }) : undefined;
  const started = await serveCatalogs(
    {
      catalog: (name) => servedCatalog(name, options),
      metas: gates.APIV1MetasHandler,
      ...(queries === undefined ? {} : { query: queryOn(queries) }),
      clock: options.clock,
      entropy: options.entropy,
      onAnswer: ({ method, target, status, durationMs, problem }) => {
        metrics.observe("catalogd_http_request_duration_seconds", { code: String(status) }, durationMs / 1000);
        if (problem === undefined) log("debug", "catalog request", { method, target, status });
        else log("warn", "a catalog request could not be answered", { method, target, status, error: problem });
      },
    },
    listen,
  );
  if (!started.ok || queries === undefined) return started;
  const listener = started.value;
  return done({
    ...listener,
    async stop(graceMs) {
      await listener.stop(graceMs);
      queries.stop();
    },
  });
}

async function servedCatalog(
  name: string,
  { reader, content, clock, compat }: CatalogEndpointOptions,
): Promise<ServedCatalog | undefined> {
  const catalog = await reader.get(clusterCatalogs, { name });
  // Asking for the content of one that is being deleted would read it again.
  if (catalog === undefined || catalog.metadata.deletionTimestamp !== undefined) return undefined;
  const index = clusterCatalogContent(catalog, content)?.index;
  if (index === undefined) return undefined;
  const unpacked = Date.parse(catalog.status?.lastUnpacked ?? "");
  // While the status lags behind, the current time is the date: clients must not take it for the date of other content.
  const isShown = shownDigest(catalog) === index.digest && !Number.isNaN(unpacked);
  const tag = compat.keepsUpstream("catalog-tags") ? undefined : index.digest;
  return servedIndex(index, isShown ? unpacked : clock.now(), tag);
}

function shownDigest({ status }: ClusterCatalog): Digest | undefined {
  const digest = status?.resolvedSource?.image?.ref.split("@")[1] ?? "";
  return isDigest(digest) ? digest : undefined;
}
