import { type CatalogEndpointOptions, serveClusterCatalogs } from "../endpoints/catalog-endpoint.ts";
import type { CatalogListener } from "../registry-api/http/catalog-listener.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";

const defaultCatalogPort = 7444;

/** Where the catalogs of OLM v1 are served over HTTP. */
export interface CatalogServing {
  readonly host: string;
  /** Default: 7444, or a free port when that is taken. */
  readonly port?: number;
  /** The origin of the URLs in ClusterCatalogs' status; default: the address of the listener. */
  readonly origin?: string;
}

export interface CatalogServingProblem {
  readonly kind: "catalogAddress";
  readonly address: string;
  readonly message: string;
}

/** Starts the listener; the result has the origin for `status.urls`. */
export async function startCatalogServing(
  { host, port, origin }: CatalogServing,
  options: CatalogEndpointOptions,
): Promise<Result<CatalogListener, CatalogServingProblem>> {
  const first = await serveClusterCatalogs(options, { host, port: port ?? defaultCatalogPort });
  const isFree = !first.ok && first.problem.taken && port === undefined;
  const started = isFree ? await serveClusterCatalogs(options, { host, port: 0 }) : first;
  if (started.ok) return done(origin === undefined ? started.value : { ...started.value, origin });
  return failed({
    kind: "catalogAddress",
    address: `${host}:${port ?? defaultCatalogPort}`,
    message: started.problem.message,
  });
}
