import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isDigest } from "@purser/kubernetes/digest";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import { buildIndex } from "../../catalog-store/build.ts";
import { indexFolder } from "../../catalog-store/format.ts";
import { rememberIndexOfImage } from "../../content/kept-index.ts";

/** How catalogs of a cluster are read from another machine. */
export interface CatalogAccess {
  readonly transport: Transport;
  /** Address of the API server. */
  readonly server: string;
  readonly cacheFolder: string;
  /** Entrance of the index builder when it does not lie beside the catalog store. */
  readonly builder?: string;
}

/** An API server that answers nothing for so long serves no catalog. */
const idleTimeoutMs = 15_000;

/**
 * Reads the content that a ClusterCatalog serves at `status.urls.base` into the cache, under the digest in its status: from the
 * address itself, and from a Service of the cluster through its API server. The problem is why there is no content.
 */
export async function keepServedContent(
  { metadata: { name = "" }, status }: ClusterCatalog,
  { transport, server, cacheFolder, builder }: CatalogAccess,
  signal: AbortSignal,
): Promise<Result<undefined, string>> {
  const digest = status?.resolvedSource?.image?.ref.split("@").at(-1) ?? "";
  const base = status?.urls?.base;
  if (base === undefined || !isDigest(digest) || !URL.canParse(base)) return failed("the cluster does not serve it");
  const chunks = await contentOf(new URL(`${base}/api/v1/all`), transport, server, signal);
  if (!chunks.ok) return chunks;
  const indexes = indexFolder(cacheFolder);
  await mkdir(indexes, { recursive: true });
  const file = join(indexes, `served-${process.pid}-${name}.jsonl`);
  try {
    await pipeline(Readable.from(chunks.value), createWriteStream(file), { signal });
    const request = { folder: file, form: "unchecked", into: indexes, signal } as const;
    const built = await buildIndex({ ...request, ...(builder === undefined ? {} : { builder }) });
    if (!built.ok) return failed(built.problem[0]?.message ?? "it cannot be read");
    if (built.value.digest !== digest)
      rememberIndexOfImage(indexes, digest, built.value.digest, built.value.broken !== undefined);
    return done(undefined);
  } catch (error) {
    signal.throwIfAborted();
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    await rm(file, { force: true });
  }
}

type Chunks = AsyncIterable<Uint8Array>;

async function contentOf(
  url: URL,
  transport: Transport,
  server: string,
  signal: AbortSignal,
): Promise<Result<Chunks, string>> {
  const service = /^([^.]+)\.([^.]+)\.svc(?:\.|$)/.exec(url.hostname);
  if (service !== null) return throughApiServer(url, `${service[2]}`, `${service[1]}`, transport, signal);
  // A loopback address is that of another machine, unless the cluster runs on this one.
  if (isLoopback(url.hostname) && !isLoopback(new URL(server).hostname))
    return failed(`it is served on ${url.host}, an address of another machine`);
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(idleTimeoutMs)]) });
    if (!answer.ok || answer.body === null) return failed(`${url.href} answered with ${answer.status}`);
    return done(answer.body as unknown as Chunks);
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return failed(`${url.href} does not answer: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

async function throughApiServer(
  { protocol, port, pathname }: URL,
  namespace: string,
  service: string,
  transport: Transport,
  signal: AbortSignal,
): Promise<Result<Chunks, string>> {
  const scheme = protocol.replace(":", "");
  const at = port === "" ? (scheme === "https" ? "443" : "80") : port;
  const path = `/api/v1/namespaces/${namespace}/services/${scheme}:${service}:${at}/proxy${pathname}`;
  const { status, body } = await transport({ method: "GET", path, idleTimeoutMs }, signal);
  if (status === 200 && body?.kind === "stream") return done(body.chunks);
  if (status === 200 && body?.kind === "bytes") return done(Readable.from([body.bytes]) as Chunks);
  return failed(
    status === 403
      ? `you may not get services/proxy of ${service} in namespace ${namespace}`
      : `Service ${namespace}/${service} answered with ${status} through the API server`,
  );
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || host.startsWith("127.");
