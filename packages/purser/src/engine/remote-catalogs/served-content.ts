import type { Clock } from "@purser/kubernetes/clock";
import { isDigest } from "@purser/kubernetes/digest";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import { indexDirectory } from "../../catalog-store/format.ts";
import { rememberIndexOfImage } from "../../content/kept-index.ts";
import { type IndexAccess, indexDocuments } from "./index-documents.ts";

/** How catalogs of a cluster are read from another machine. */
export interface CatalogAccess extends IndexAccess {
  readonly transport: Transport;
  /** Address of the API server. */
  readonly server: string;
  /** Default: that of the machine. */
  readonly clock?: Clock;
}

/** An API server that answers nothing for so long serves no catalog. */
const idleTimeoutMs = 15_000;

/**
 * Reads the content that a ClusterCatalog serves at `status.urls.base` into the cache, under the digest in its status: from the
 * address itself, and from a Service of the cluster through its API server. The problem is why there is no content.
 */
export async function keepServedContent(
  { status }: ClusterCatalog,
  access: CatalogAccess,
  signal: AbortSignal,
): Promise<Result<undefined, string>> {
  const digest = status?.resolvedSource?.image?.ref.split("@").at(-1) ?? "";
  const base = status?.urls?.base;
  if (base === undefined || !isDigest(digest) || !URL.canParse(base)) return failed("the cluster does not serve it");
  const chunks = await contentOf(new URL(`${base}/api/v1/all`), access, signal);
  if (!chunks.ok) return chunks;
  const built = await indexDocuments(chunks.value, access, signal);
  if (!built.ok) return built;
  const { digest: ofText, broken } = built.value;
  if (ofText !== digest)
    rememberIndexOfImage(indexDirectory(access.cacheDirectory), digest, ofText, broken !== undefined);
  return done(undefined);
}

type Chunks = AsyncIterable<Uint8Array>;

async function contentOf(
  url: URL,
  { transport, server, clock = systemClock }: CatalogAccess,
  signal: AbortSignal,
): Promise<Result<Chunks, string>> {
  const service = /^([^.]+)\.([^.]+)\.svc(?:\.|$)/.exec(url.hostname);
  if (service !== null) return throughApiServer(url, `${service[2]}`, `${service[1]}`, transport, signal);
  // A loopback address is that of another machine, unless the cluster runs on this one.
  if (isLoopback(url.hostname) && !isLoopback(new URL(server).hostname))
    return failed(`it is served on ${url.host}, an address of another machine`);
  try {
    const patience = new Patience(clock);
    const answer = await patience.for(fetch(url, { signal: AbortSignal.any([signal, patience.signal]) }));
    if (answer.ok && answer.body !== null) return done(patience.through(answer.body as unknown as Chunks));
    return failed(`${url.href} answered with ${answer.status}`);
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return failed(`${url.href} does not answer: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** What a server sends, as long as it sends something every 15 seconds. */
class Patience {
  readonly #clock: Clock;
  readonly #aborting = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts when the server is given up. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  /** Rejects when the answer does not come in time. */
  async for<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const came = new AbortController();
    const late = this.#clock.sleep(idleTimeoutMs, came.signal).then(
      () => true,
      () => false,
    );
    try {
      const isLate = await Promise.race([answer.then(() => false), late]);
      if (!isLate) return await answer;
      const error = new Error(`nothing came for ${idleTimeoutMs / 1000} s`);
      this.#aborting.abort(error);
      throw error;
    } finally {
      came.abort();
    }
  }

  async *through(chunks: Chunks): AsyncGenerator<Uint8Array> {
    const reading = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.for(reading.next());
      if (next.done === true) return;
      yield next.value;
    }
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
  if (status === 200 && body?.kind === "bytes") return done(only(body.bytes));
  return failed(
    status === 403
      ? `you may not get services/proxy of ${service} in namespace ${namespace}`
      : `Service ${namespace}/${service} answered with ${status} through the API server`,
  );
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || host.startsWith("127.");
