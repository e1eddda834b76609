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
import type { UnreadAnswers } from "./unread-answers.ts";
import { linger, refusalOf, refuseSocket, wrongMethodRefusal } from "./socket-refusal.ts";

/** How long a slow client is waited for. */
export interface ListenerPatience {
  /** For its handshake, and for its headers. */
  readonly headersMs: number;
  /** For its whole request. */
  readonly requestMs: number;
  /** For it to take some of what is sent. */
  readonly stalledMs: number;
  /** How often this is looked at. */
  readonly lookEveryMs: number;
}

const usualPatience: ListenerPatience = {
  headersMs: 20_000,
  requestMs: 60_000,
  stalledMs: 60_000,
  lookEveryMs: 5000,
};
/** An idle connection is kept for minutes: Go clients reuse them late. */
const keepAliveMs = 180_000;
/** How long answers may take that are under way when the listener closes. */
const closeGraceMs = 2000;
/** As Go's servers take; selectors in a URL can be long. */
const maxHeaderBytes = 1024 * 1024;
/** So much of a body that nobody wanted is read after the answer, and for so long. */
const unwantedBytes = 16 * 1024 * 1024;
const unwantedMs = 2000;

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

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly uuid: () => string;
  readonly clock: Clock;
  readonly patience?: ListenerPatience;
  readonly unread: UnreadAnswers;
}

/** Serves HTTP/1.1 over TLS. @throws the socket's error when the port cannot be had */
export async function openListener(
  identity: ServerIdentity,
  options: ListenerOptions,
  handler: SocketHandler,
): Promise<OpenListener> {
  const { clock, patience = usualPatience } = options;
  const active = new Set<Promise<void>>();
  /** The latest request of each connection. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  const server = createServer({
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
    headersTimeout: patience.headersMs,
    handshakeTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: patience.lookEveryMs,
    requireHostHeader: false,
  });
  // The size bounds them; Node would drop what comes after the two thousandth without a word.
  server.maxHeadersCount = 0;
  const open = lookFirst(server, clock, patience.headersMs);
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, isExpecting: boolean): void => {
    latest.set(incoming.socket, outgoing);
    const answering = answer(incoming, outgoing, isExpecting, options, handler)
      .catch((problem: unknown) => refuseBroken(outgoing, problem))
      .then(() => finished(outgoing))
      .finally(() => active.delete(answering));
    active.add(answering);
  };
  server.on("request", (incoming, outgoing) => serve(incoming, outgoing, false));
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => serve(incoming, outgoing, true));
  server.on("connect", (_incoming, socket) => refuseSocket(socket, wrongMethodRefusal, clock));
  server.on("tlsClientError", () => undefined);
  // Node's parser reads from a connection by itself until somebody else listens too. It would go on reading when it is
  // paused, as answers wait for the client, and report what comes then as a fault; a stream keeps it, in order.
  server.on("secureConnection", (socket) => socket.on("data", () => undefined));
  const broken = new WeakSet<Duplex>();
  server.on("clientError", (problem, socket) => {
    // What comes behind a fault is a fault as well, each time.
    if (broken.has(socket)) return;
    broken.add(socket);
    const refuse = (): void => refuseSocket(socket, refusalOf(problem), clock);
    const before = latest.get(socket);
    // Whoever was answered while still sending gets no second answer, only the time to read the first.
    if (before?.req.complete === false && before.headersSent) {
      void linger(socket, clock);
      return;
    }
    // What came whole before it is answered first.
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
  { uuid, clock, unread, patience: { stalledMs } = usualPatience }: ListenerOptions,
  handler: SocketHandler,
): Promise<void> {
  const problem = protocolProblem(incoming);
  if (problem !== undefined) {
    refuseSocket(incoming.socket, problem, clock);
    return;
  }
  const gone = new AbortController();
  outgoing.once("close", () => {
    // Whoever has all of its answer may go: nobody needs to hear of it.
    if (!outgoing.writableFinished) gone.abort(new Error("the client is gone"));
  });
  const headers = headersOf(incoming);
  outgoing.setHeader("audit-id", headers["audit-id"] ?? uuid());
  if (incoming.url === "*" && incoming.method === "OPTIONS") {
    outgoing.setHeader("content-length", 0);
    outgoing.end();
    return;
  }
  const request = requestOf(incoming, outgoing, headers, isExpecting);
  const response = await handler(request, certificateOf(incoming), gone.signal);
  const sending = { asked: headers, gone: gone.signal, stalledMs, unread };
  if (incoming.complete) {
    await send(outgoing, response, sending);
    return;
  }
  outgoing.setHeader("connection", "close");
  // Who waits to be asked for a body is not asked any more.
  const dropped = isExpecting ? undefined : dropUnwanted(incoming, clock);
  await send(outgoing, response, { ...sending, hold: dropped });
}

/**
 * Reads a body that nobody wanted, within bounds: a connection that is closed with unread bytes loses its last
 * answer.
 */
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
