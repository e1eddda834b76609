import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import { done, type Result } from "@purser/kubernetes/result";
import { mostBodyBytes } from "../graphql/query-request.ts";
import { answerCatalogRequest, type CatalogRequest, type CatalogServer, requestedCatalog } from "./answer-request.ts";
import { encoded } from "./compress.ts";
import { boundPort, closeServer, type ListenProblem } from "./listening.ts";
import { renewableServer, type ServerCertificates } from "./tls-server.ts";
import type { ServedCatalog } from "./served-catalog.ts";

export interface CatalogListenerOptions {
  /** Returns the catalog of a name; called for every request. */
  readonly catalog: (name: string) => ServedCatalog | undefined | Promise<ServedCatalog | undefined>;
  /** Whether `/metas` is served. */
  readonly metas: boolean;
  /** Answers GraphQL queries; absent: `/graphql` is not served. */
  readonly query?: CatalogServer["query"];
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Called for every response, with the problem when it failed. */
  readonly onAnswer?: (answer: {
    readonly method: string;
    readonly target: string;
    readonly status: number;
    readonly durationMs: number;
    readonly problem?: string;
  }) => void;
}

export interface CatalogListener {
  /** `http://HOST:PORT`, with certificates `https://HOST:PORT`, to which `/catalogs/NAME/api/v1/all` is appended. */
  readonly origin: string;
  readonly port: number;
  /** New connections get this certificate. @throws when they do not fit together */
  renew(certificates: ServerCertificates): void;
  /** Stops accepting requests; running responses have `graceMs` milliseconds to finish. */
  stop(graceMs?: number): Promise<void>;
}

/** Upstream's timeout for receiving a request; a response may take longer. */
const readMs = 5000;
const idleMs = 5 * 60 * 1000;
/** For running responses while the process ends; a pod is killed 30 seconds after it was told to end. */
const finishMs = 25_000;

/** Serves the catalog API of OLM v1 over HTTP/1.1, with TLS where certificates are given. Port 0 selects a free port. The problem says why it cannot listen. */
export async function serveCatalogs(
  options: CatalogListenerOptions,
  listen: { readonly host: string; readonly port: number; readonly certificates?: ServerCertificates },
): Promise<Result<CatalogListener, ListenProblem>> {
  const limits = { requestTimeout: readMs, headersTimeout: readMs, handshakeTimeout: readMs };
  const { server, renew } = renewableServer(limits, listen.certificates, (request, response) => {
    void answer(request, response, options);
  });
  server.timeout = idleMs;
  const bound = await boundPort(server, listen);
  if (!bound.ok) return bound;
  const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  return done({
    origin: `${listen.certificates === undefined ? "http" : "https"}://${host}:${bound.value}`,
    port: bound.value,
    renew,
    stop: (graceMs = finishMs) => closeServer(server, options.clock, graceMs),
  });
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: CatalogListenerOptions,
): Promise<void> {
  const { method = "", url = "" } = incoming;
  const started = options.clock.monotonic();
  const answered = (status: number, problem?: string): void =>
    options.onAnswer?.({
      method,
      target: url,
      status,
      durationMs: options.clock.monotonic() - started,
      ...(problem === undefined ? {} : { problem }),
    });
  try {
    const headers = Object.entries(incoming.headers).map(
      ([name, value = ""]) => [name, typeof value === "string" ? value : value.join(", ")] as const,
    );
    const body = (): Promise<string | undefined> => bodyOf(incoming);
    const request: CatalogRequest = { method, target: url, headers: new Map(headers), body };
    const name = requestedCatalog(url);
    const catalog = name === undefined ? undefined : await options.catalog(name);
    const sent = encoded(
      request,
      await answerCatalogRequest(request, {
        catalog: () => catalog,
        metas: options.metas,
        ...(options.query === undefined ? {} : { query: options.query }),
        boundary: () => options.entropy.uuid().replaceAll("-", ""),
      }),
    );
    // A body that nobody read is discarded.
    incoming.resume();
    response.writeHead(sent.status, sent.headers);
    const pieces = Readable.from(sent.body.pieces());
    await (sent.gzip ? pipeline(pieces, createGzip(), response) : pipeline(pieces, response));
    answered(sent.status);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    answered(response.headersSent ? response.statusCode : 500, problem);
    // Headers that are sent cannot be changed: closing the connection shows the client that the body is incomplete.
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { "Content-Type": "text/plain; charset=utf-8" }).end("500 Internal Server Error\n");
  }
}

/** The body as text; undefined when it has more bytes than a query may have. */
function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      // The rest is discarded, so that the client reads the response.
      if (bytes > mostBodyBytes) resolve(undefined);
      else chunks.push(chunk);
    });
    incoming.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    incoming.on("error", reject);
  });
}
