import type { Agent, AgentOptions, IncomingMessage, ProxyEnv } from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import type { Clock } from "../clock.ts";
import { credentialSource, type CurrentCredentials, type TlsMaterial } from "./access/access-credentials.ts";
import type { ClusterAccess } from "./access/cluster-access.ts";
import { impersonationHeaders } from "./access/impersonation.ts";
import type { ApiBody, ApiRequest, ApiResponse, Transport } from "./transport.ts";
import { currentRequestId } from "../system/request-id.ts";
import { currentSpan } from "../system/current-span.ts";
import { traceParent } from "../tracing.ts";

// Not imported: that would evaluate all exports of the module, including WebSocket with all of undici (80 ms, 10 MB).
const http = process.getBuiltinModule("node:http");

export interface HttpTransportOptions {
  /**
   * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are used, and exec plugins get the whole environment. Default: the
   * process's.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Timeout between two bytes of a response. Default 60000 (watches 150000: servers send bookmarks every minute). */
  readonly idleTimeoutMs?: number;
  /** For the expiry of exec plugin credentials. When absent, they are used until the server refuses them. */
  readonly clock?: Clock;
}

export interface HttpTransport extends Transport {
  /** Closes idle connections and those of running watches. */
  close(): void;
}

/** The API server did not respond; `cause` says why. */
export class ClusterUnreachableError extends Error {
  override readonly name = "ClusterUnreachableError";
  readonly server: string;
  constructor(server: string, cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : "";
    super(`Cannot reach the API server "${server}"${why}`, { cause });
    this.server = server;
  }
}

/** The same server without credentials, for use with a service account's token. */
export function anonymousAccess(access: ClusterAccess): ClusterAccess {
  const { clientCertificate: _certificate, bearer: _bearer, impersonate: _user, ...anonymous } = access;
  return anonymous;
}

/**
 * Requests over shared keep-alive connections, without a limit of concurrent ones, because every watch occupies one.
 * Rejects with `ClusterUnreachableError`, or with the signal's reason.
 */
export function httpTransport(access: ClusterAccess, options: HttpTransportOptions = {}): HttpTransport {
  const { env = process.env, clock } = options;
  const server = new URL(access.server);
  const credentials = credentialSource(access, env, clock);
  let pool: { readonly key: string; readonly agent: Agent } | undefined;

  function agentFor(tls: TlsMaterial): Agent {
    const key = JSON.stringify(tls);
    if (pool?.key === key) return pool.agent;
    // Running requests on the old pool continue; its idle connections must not be used again.
    pool?.agent.destroy();
    pool = { key, agent: newAgent(server, access, tls, env) };
    return pool.agent;
  }

  async function send(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const current = await credentials.current().catch((cause: unknown) => {
      // An error of the provider is passed on, for example that a service account does not exist.
      if (access.bearer?.kind === "provider") throw cause;
      throw new ClusterUnreachableError(access.server, cause);
    });
    const agent = agentFor(current.tls);
    for (let attempt = 0; ; attempt++) {
      try {
        return await exchange(agent, request, current, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const { cause, stale } = error as Exchange;
        // The server closed a kept-alive connection: no byte of a response arrived, and a read can be repeated safely.
        if (stale && attempt < 3 && (request.method === "GET" || request.method === "HEAD")) continue;
        throw new ClusterUnreachableError(access.server, cause);
      }
    }
  }

  function exchange(
    agent: Agent,
    request: ApiRequest,
    { authorization }: CurrentCredentials,
    signal: AbortSignal,
  ): Promise<ApiResponse> {
    const { body } = request;
    const query = request.query === undefined || request.query.size === 0 ? "" : `?${request.query.toString()}`;
    const id = currentRequestId();
    // A read may be one of a pass that does nothing, whose span is not sent.
    const span = request.method === "GET" ? undefined : currentSpan();
    const headers = headersOf({
      // The audit log of the API server shows it too.
      ...(id === undefined ? {} : { "audit-id": id }),
      ...(span === undefined ? {} : { traceparent: traceParent(span) }),
      ...(access.impersonate === undefined ? {} : impersonationHeaders(access.impersonate)),
      ...(authorization === undefined ? {} : { authorization }),
      ...request.headers,
    });
    const payload = bytesOf(body);
    if (payload !== undefined) headers["content-length"] = String(payload.length);
    const idleMs =
      request.idleTimeoutMs ?? options.idleTimeoutMs ?? (request.query?.has("watch") === true ? 150_000 : 60_000);
    return new Promise((resolve, reject) => {
      const sent = (server.protocol === "https:" ? https : http).request({
        agent,
        protocol: server.protocol,
        host: server.hostname.replace(/^\[|\]$/g, ""),
        ...(server.port === "" ? {} : { port: server.port }),
        path: server.pathname.replace(/\/$/, "") + request.path + query,
        method: request.method,
        headers,
        signal,
        timeout: idleMs,
      });
      sent.on("timeout", () => sent.destroy(new Error(`no byte came for ${idleMs} ms`)));
      sent.on("error", (cause: NodeJS.ErrnoException) => {
        const stale = sent.reusedSocket && (cause.code === "ECONNRESET" || cause.code === "EPIPE");
        reject(new Exchange(cause, stale));
      });
      sent.on("socket", survive);
      sent.on("response", (answer) => resolve(responseOf(answer)));
      if (body?.kind === "stream") pipeline(Readable.from(body.chunks), sent, () => {});
      else sent.end(payload);
    });
  }

  const transport = async (request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> => {
    signal.throwIfAborted();
    const first = await send(request, signal);
    if (first.status !== 401 || request.body?.kind === "stream" || !credentials.refused()) return first;
    await drain(first.body);
    return send(request, signal);
  };
  return Object.assign(transport, { close: () => pool?.agent.destroy() });
}

const surviving = new WeakSet<Socket>();

/**
 * An aborted request whose response has arrived but is unread has detached from its socket, so nothing handles the
 * socket's error.
 */
function survive(socket: Socket): void {
  if (surviving.has(socket)) return;
  surviving.add(socket);
  socket.on("error", () => undefined);
}

/** Why one attempt failed. */
class Exchange extends Error {
  override readonly name = "Exchange";
  readonly stale: boolean;
  constructor(cause: Error, stale: boolean) {
    super(cause.message, { cause });
    this.stale = stale;
  }
}

function newAgent(
  server: URL,
  access: ClusterAccess,
  tls: TlsMaterial,
  env: Readonly<Record<string, string | undefined>>,
): Agent {
  const proxyEnv = proxyFor(server, access, env);
  const pooling: AgentOptions = {
    keepAlive: true,
    maxFreeSockets: 16,
    // Timeout of idle connections, as in Go's clients.
    timeout: 90_000,
    ...(proxyEnv === undefined ? {} : { proxyEnv }),
  };
  if (server.protocol !== "https:") return new http.Agent(pooling);
  return new https.Agent({
    ...pooling,
    ...(tls.authorityPem === undefined ? {} : { ca: tls.authorityPem }),
    ...(tls.certificatePem === undefined ? {} : { cert: tls.certificatePem }),
    ...(tls.keyPem === undefined ? {} : { key: tls.keyPem }),
    ...(access.tlsServerName === undefined ? {} : { servername: access.tlsServerName }),
    ...(access.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
  });
}

/** As in Go, loopback addresses never use a proxy from the environment. */
function proxyFor(
  server: URL,
  { proxyUrl }: ClusterAccess,
  env: Readonly<Record<string, string | undefined>>,
): ProxyEnv | undefined {
  if (proxyUrl !== undefined) return { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl };
  if (/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(server.hostname)) return undefined;
  const named = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"].flatMap((name) => {
    const value = env[name];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

/** Repeated headers are separated by line feeds. */
function headersOf(headers: Readonly<Record<string, string>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.includes("\n") ? value.split("\n") : value]),
  );
}

function bytesOf(body: ApiBody | undefined): Uint8Array | undefined {
  if (body === undefined) return undefined;
  switch (body.kind) {
    case "object":
      return Buffer.from(JSON.stringify(body.value));
    case "bytes":
      return body.bytes;
    case "texts":
      return Buffer.from([...body.texts].join(""));
    case "stream":
      return undefined;
    case "events":
      throw new TypeError("A request cannot carry watch events");
  }
}

function responseOf(answer: IncomingMessage): ApiResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  return { status: answer.statusCode ?? 0, headers, body: { kind: "stream", chunks: answer } };
}

async function drain(body: ApiBody | undefined): Promise<void> {
  if (body?.kind !== "stream") return;
  for await (const chunk of body.chunks) void chunk;
}
