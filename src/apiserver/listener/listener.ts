import { constants } from "node:crypto";
import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzip } from "node:zlib";
import { promisify } from "node:util";
import type { Clock } from "../../clock.ts";
import { statusObject, statusOf } from "../../apis/status.ts";
import type { ApiRequest, ApiResponse } from "../../kube/transport.ts";
import type { ClientCertificate } from "../authentication/authenticator.ts";
import { bodyLimit } from "../request/body.ts";
import type { ServerIdentity } from "./identity.ts";

const compress = promisify(gzip);

/** Answers of at least this many bytes are compressed for clients that accept it. */
const gzipFrom = 128 * 1024;
/** A client has this long to send its headers, and to send its whole request. */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 60_000;
/** An idle connection is kept for minutes: Go clients reuse them late. */
const keepAliveMs = 180_000;
/** How long answers may take that are under way when the listener closes. */
const closeGraceMs = 2000;
const maxHeaderBytes = 64 * 1024;

/** What stands behind a socket: authentication and the pipeline. */
export type SocketHandler = (
  request: ApiRequest,
  certificate: ClientCertificate | undefined,
  signal: AbortSignal,
) => Promise<ApiResponse>;

export interface OpenListener {
  readonly port: number;
  close(): Promise<void>;
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Serves HTTP/1.1 over TLS. @throws the socket's error when the port cannot be had */
export async function openListener(
  identity: ServerIdentity,
  options: { readonly host: string; readonly port: number; readonly uuid: () => string; readonly clock: Clock },
  handler: SocketHandler,
): Promise<OpenListener> {
  const active = new Set<Promise<void>>();
  const server = createServer(
    {
      key: identity.serving.privateKeyPem,
      cert: identity.serving.certificatePem,
      ca: [identity.authority.certificatePem],
      requestCert: true,
      rejectUnauthorized: false,
      // Go's servers refuse it too; who a connection belongs to cannot change under way.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      keepAlive: true,
      noDelay: true,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: 5000,
    },
    (incoming, outgoing) => {
      const answering = answer(incoming, outgoing, options.uuid, handler)
        .catch((problem: unknown) => refuseBroken(outgoing, problem))
        .then(() => finished(outgoing))
        .finally(() => active.delete(answering));
      active.add(answering);
    },
  );
  server.on("tlsClientError", () => undefined);
  server.on("clientError", (_problem, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    else socket.destroy();
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(options.port, options.host, resolve);
  await promise;
  server.removeListener("error", reject);
  server.on("error", () => undefined);
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    close: async () => {
      const closed = new Promise<void>((closing) => void server.close(() => closing()));
      const waiting = new AbortController();
      const grace = options.clock.sleep(closeGraceMs, waiting.signal).catch(() => undefined);
      await Promise.race([Promise.allSettled(active), grace]);
      server.closeIdleConnections();
      await Promise.race([closed, grace]);
      server.closeAllConnections();
      waiting.abort();
      await closed;
    },
  };
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (name.startsWith("impersonate-")) headers[name] = (incoming.headersDistinct[name] ?? []).join("\n");
    else if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  const { remoteAddress } = incoming.socket;
  if (remoteAddress !== undefined)
    headers["x-forwarded-for"] = [headers["x-forwarded-for"], remoteAddress]
      .filter((at) => at !== undefined)
      .join(", ");
  return headers;
}

/** Read once a connection: it takes as long as the rest of a short request, and stays the same (no renegotiation). */
const certificates = new WeakMap<TLSSocket, { readonly certificate: ClientCertificate | undefined }>();

/** The client's certificate when our authority signed it; any other one counts as none. */
function certificateOf(incoming: IncomingMessage): ClientCertificate | undefined {
  const socket = incoming.socket as TLSSocket;
  if (!socket.authorized) return undefined;
  const known = certificates.get(socket);
  if (known !== undefined) return known.certificate;
  const certificate = readCertificate(socket);
  certificates.set(socket, { certificate });
  return certificate;
}

function readCertificate(socket: TLSSocket): ClientCertificate | undefined {
  const peer = socket.getPeerCertificate();
  const subject = peer.subject as Record<string, string | readonly string[]> | undefined;
  if (subject === undefined) return undefined;
  const list = (value: string | readonly string[] | undefined): readonly string[] =>
    value === undefined ? [] : typeof value === "string" ? [value] : value;
  return {
    commonName: list(subject["CN"])[0] ?? "",
    organizations: list(subject["O"]),
    fingerprint: peer.fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  uuid: () => string,
  handler: SocketHandler,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort(new Error("the client is gone")));
  const headers = headersOf(incoming);
  outgoing.setHeader("audit-id", headers["audit-id"] ?? uuid());
  const [path, query] = splitUrl(incoming.url ?? "/");
  const method = incoming.method ?? "GET";
  const body = await readIncoming(incoming);
  if (body === "tooLarge") {
    const status = statusOf("RequestEntityTooLarge", `Request entity too large: limit is ${bodyLimit}`);
    outgoing.setHeader("connection", "close");
    await send(outgoing, headers, jsonResponse(413, statusObject(status)), gone.signal);
    // What the client still sends is thrown away, so that it gets to read the answer.
    incoming.resume();
    return;
  }
  if (!methods.has(method)) {
    const status = statusOf("MethodNotAllowed", "the server does not allow this method on the requested resource", {});
    await send(outgoing, headers, jsonResponse(405, statusObject(status)), gone.signal);
    return;
  }
  const request: ApiRequest = {
    method: method as ApiRequest["method"],
    path,
    query: new URLSearchParams(query),
    headers,
    ...(body.length === 0 ? {} : { body: { kind: "bytes", bytes: body } }),
  };
  const response = await handler(request, certificateOf(incoming), gone.signal);
  await send(outgoing, headers, response, gone.signal);
}

/** The answer is with the kernel, or the client is gone. */
function finished(outgoing: ServerResponse): Promise<void> {
  if (outgoing.writableFinished || outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    outgoing.once("finish", resolve);
    outgoing.once("close", resolve);
  });
}

function splitUrl(url: string): readonly [string, string] {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}

const noBytes = Buffer.alloc(0);

async function readIncoming(incoming: IncomingMessage): Promise<Buffer | "tooLarge"> {
  const announced = Number(incoming.headers["content-length"] ?? "0");
  if (announced > bodyLimit) return "tooLarge";
  if (announced === 0 && incoming.headers["transfer-encoding"] === undefined) return noBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early would cut the connection before the refusal is sent: the rest is read and dropped.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > bodyLimit) return "tooLarge";
  return chunks.length === 1 ? (chunks[0] ?? noBytes) : Buffer.concat(chunks);
}

function jsonResponse(status: number, object: unknown): ApiResponse {
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-cache, private" },
    body: { kind: "bytes", bytes: Buffer.from(`${JSON.stringify(object)}\n`) },
  };
}

async function send(
  outgoing: ServerResponse,
  asked: Readonly<Record<string, string>>,
  response: ApiResponse,
  gone: AbortSignal,
): Promise<void> {
  if (gone.aborted) return;
  outgoing.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers))
    outgoing.setHeader(name, name === "warning" ? splitWarnings(value) : value);
  const { body } = response;
  if (body === undefined) {
    outgoing.end();
    return;
  }
  const takesGzip = /\bgzip\b/.test(asked["accept-encoding"] ?? "");
  const announceGzip = (): void => {
    outgoing.setHeader("content-encoding", "gzip");
    outgoing.setHeader("vary", "Accept-Encoding");
  };
  switch (body.kind) {
    case "bytes": {
      const zipped = takesGzip && body.bytes.length >= gzipFrom;
      const bytes = zipped ? await compress(body.bytes) : body.bytes;
      if (zipped) announceGzip();
      outgoing.setHeader("content-length", bytes.length);
      outgoing.end(bytes);
      return;
    }
    case "stream":
      if (body.bulk === true && takesGzip) {
        announceGzip();
        // A client that leaves early ends the pipeline with an error that is nobody's.
        await pipeline(Readable.from(body.chunks), createGzip(), outgoing).catch(() => undefined);
      } else await stream(outgoing, body.chunks, gone);
      return;
    case "object":
    case "events":
      throw new Error("an answer for a socket must be bytes");
  }
}

/** One header per warning, as Go clients expect; warnings are quoted, so the separator is unambiguous. */
function splitWarnings(value: string): string[] {
  return value.split(/, (?=299 - ")/);
}

/** Sends chunks as they come; waits for a slow client, so that the watch's own bound decides about it. */
async function stream(outgoing: ServerResponse, chunks: AsyncIterable<Uint8Array>, gone: AbortSignal): Promise<void> {
  outgoing.flushHeaders();
  for await (const chunk of chunks) {
    if (gone.aborted) return;
    if (!outgoing.write(chunk)) await drained(outgoing, gone);
  }
  outgoing.end();
}

async function drained(outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const proceed = (): void => resolve();
  outgoing.once("drain", proceed);
  gone.addEventListener("abort", proceed, { once: true });
  await promise;
  outgoing.removeListener("drain", proceed);
  gone.removeEventListener("abort", proceed);
}

function refuseBroken(outgoing: ServerResponse, problem: unknown): void {
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return;
  }
  const message = problem instanceof Error ? problem.message : String(problem);
  const body = `${JSON.stringify(statusObject(statusOf("InternalError", `Internal error occurred: ${message}`)))}\n`;
  outgoing.writeHead(500, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  outgoing.end(body);
}
