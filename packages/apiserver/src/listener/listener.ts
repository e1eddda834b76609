import { constants } from "node:crypto";
import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "@purser/kubernetes/clock";
import type { ApiRequest, ApiResponse } from "@purser/kubernetes/kube/transport";
import type { ClientCertificate } from "../authentication/authenticator.ts";
import { lookFirst } from "./first-bytes.ts";
import type { ServerIdentity } from "./identity.ts";
import { certificateOf, headersOf, protocolProblem, requestOf } from "./incoming.ts";
import { finished, refuseBroken, send } from "./outgoing.ts";
import { Pipelined } from "./pipelined.ts";
import type { UnreadAnswers } from "./unread-answers.ts";
import { linger, refusalOf, refuseSocket, wrongMethodRefusal } from "./socket-refusal.ts";

/** Timeouts for slow clients. */
export interface ListenerTimeouts {
  /** For the TLS handshake and for the request headers. */
  readonly headersMs: number;
  /** For the whole request. */
  readonly requestMs: number;
  /** For a client to take some of a pending response. */
  readonly stalledMs: number;
  /** Interval of the checks. */
  readonly lookEveryMs: number;
}

const defaultTimeouts: ListenerTimeouts = {
  headersMs: 20_000,
  requestMs: 60_000,
  stalledMs: 60_000,
  lookEveryMs: 5000,
};
/** Go clients reuse idle connections after minutes. */
const keepAliveMs = 180_000;
/** Grace period for pending responses when the listener closes. */
const closeGraceMs = 2000;
/** Limit of Go's servers; selectors in URLs can be long. */
const maxHeaderBytes = 1024 * 1024;
/** Limits in bytes and time for reading an unused request body after the response. */
const unwantedBytes = 16 * 1024 * 1024;
const unwantedMs = 2000;

/** Handles a request: authenticates it and passes it to the handler chain. */
export type SocketHandler = (
  request: ApiRequest,
  certificate: ClientCertificate | undefined,
  signal: AbortSignal,
) => Promise<ApiResponse>;

export interface OpenListener {
  readonly port: number;
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly uuid: () => string;
  readonly clock: Clock;
  readonly patience?: ListenerTimeouts;
  readonly unread: UnreadAnswers;
}

/**
 * Serves HTTP/1.1 over TLS.
 * @throws the socket's error when the port cannot be opened
 */
export async function openListener(
  identity: ServerIdentity,
  options: ListenerOptions,
  handler: SocketHandler,
): Promise<OpenListener> {
  const { clock, patience = defaultTimeouts } = options;
  const active = new Set<Promise<void>>();
  const pipelined = new Pipelined();
  /** The latest response of each connection. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  const server = createServer({
    key: identity.serving.privateKeyPem,
    cert: identity.serving.certificatePem,
    ca: [identity.authority.certificatePem],
    requestCert: true,
    rejectUnauthorized: false,
    // Go's servers refuse renegotiation too; the client identity of a connection must not change.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    keepAlive: true,
    noDelay: true,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: patience.headersMs,
    handshakeTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: patience.lookEveryMs,
    requireHostHeader: false,
  });
  // Header size is the limit; Node would silently drop headers beyond the first two thousand.
  server.maxHeadersCount = 0;
  const open = lookFirst(server, clock, patience.headersMs);
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, isExpecting: boolean): void => {
    latest.set(incoming.socket, outgoing);
    const answering = pipelined
      .serve(incoming.socket, () =>
        answer(incoming, outgoing, isExpecting, options, handler)
          .catch((problem: unknown) => refuseBroken(outgoing, problem))
          .then(() => finished(outgoing)),
      )
      .finally(() => active.delete(answering));
    active.add(answering);
  };
  server.on("request", (incoming, outgoing) => serve(incoming, outgoing, false));
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => serve(incoming, outgoing, true));
  server.on("connect", (_incoming, socket) => refuseSocket(socket, wrongMethodRefusal, clock));
  server.on("tlsClientError", () => undefined);
  // Without a data listener Node's parser reads from the socket handle directly. While paused by pipelined responses it
  // would keep reading and report the data as a parse error; with a stream listener data is buffered in order.
  server.on("secureConnection", (socket) => socket.on("data", () => undefined));
  const broken = new WeakSet<Duplex>();
  server.on("clientError", (problem, socket) => {
    // Data after an error causes further errors.
    if (broken.has(socket)) return;
    broken.add(socket);
    const refuse = (): void => refuseSocket(socket, refusalOf(problem), clock);
    const before = latest.get(socket);
    // A client that was answered while sending gets no second response, only time to read the first.
    if (before?.req.complete === false && before.headersSent) {
      void linger(socket, clock);
      return;
    }
    // A complete earlier request is answered first.
    if (before?.req.complete === true && !before.writableFinished && !before.destroyed) before.once("close", refuse);
    else refuse();
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
      const grace = clock.sleep(closeGraceMs, waiting.signal).catch(() => undefined);
      await Promise.race([Promise.allSettled(active), grace]);
      server.closeIdleConnections();
      await Promise.race([closed, grace]);
      server.closeAllConnections();
      for (const socket of open) socket.destroy();
      waiting.abort();
      await closed;
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isExpecting: boolean,
  { uuid, clock, unread, patience: { stalledMs } = defaultTimeouts }: ListenerOptions,
  handler: SocketHandler,
): Promise<void> {
  const problem = protocolProblem(incoming);
  if (problem !== undefined) {
    refuseSocket(incoming.socket, problem, clock);
    return;
  }
  const disconnected = new AbortController();
  outgoing.once("close", () => {
    // A client that has received its whole response may disconnect without an abort.
    if (!outgoing.writableFinished) disconnected.abort(new Error("the client has disconnected"));
  });
  const headers = headersOf(incoming);
  outgoing.setHeader("audit-id", headers["audit-id"] ?? uuid());
  if (incoming.url === "*" && incoming.method === "OPTIONS") {
    outgoing.setHeader("content-length", 0);
    outgoing.end();
    return;
  }
  const request = requestOf(incoming, outgoing, headers, isExpecting);
  const response = await handler(request, certificateOf(incoming), disconnected.signal);
  const sending = { asked: headers, disconnected: disconnected.signal, stalledMs, unread };
  if (incoming.complete) {
    await send(outgoing, response, sending);
    return;
  }
  outgoing.setHeader("connection", "close");
  // A client waiting for `100 Continue` sends no body, so there is nothing to read.
  const dropped = isExpecting ? undefined : dropUnwanted(incoming, clock);
  await send(outgoing, response, { ...sending, hold: dropped });
}

/** Reads an unused request body up to a limit: closing a connection with unread bytes would discard the response. */
async function dropUnwanted(incoming: IncomingMessage, clock: Clock): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  let dropped = 0;
  incoming.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > unwantedBytes) end();
  });
  incoming.on("error", end);
  incoming.once("end", end);
  incoming.once("close", end);
  incoming.resume();
  await clock.sleep(unwantedMs, over.signal).catch(() => undefined);
}
