import type { IncomingMessage, ServerResponse } from "node:http";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { statusObject, statusOf } from "@purser/kubernetes/apis/status";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Log } from "@purser/kubernetes/kube/log";
import { done, type Result } from "@purser/kubernetes/result";
import { acceptedRequestId, newRequestId, withRequestId } from "@purser/kubernetes/system/request-id";
import { boundPort, closeServer, type ListenProblem } from "../../registry-api/http/listening.ts";
import {
  type AnsweringOptions,
  answerPackageRequest,
  type PackageAnswer,
  type ReceivedRequest,
} from "./package-answer.ts";
import type { TokenReviews } from "../callers/token-reviews.ts";
import { answerExplain, isExplainPath } from "../explain/explain-answer.ts";
import type { ExplainPort } from "../explain/explain-port.ts";
import { anonymous, type FrontProxyTrust, frontProxyTrust, requestingUser, trustKey } from "./requesting-user.ts";
import type { ServingCertificate } from "./serving-certificate.ts";

export interface PackageListenerOptions extends AnsweringOptions {
  readonly client: KubeClient;
  readonly log: Log;
  /** What `/explain` and `/tenancy` answer from; undefined while the process starts. */
  readonly explain: () => ExplainPort | undefined;
  readonly tokens: TokenReviews;
}

export interface PackageListener {
  readonly port: number;
  /** New connections get this certificate. */
  renew(certificate: ServingCertificate): void;
  /** Stops accepting connections; running responses have `graceMs` milliseconds to finish. */
  stop(graceMs?: number): Promise<void>;
}

/** For the TLS handshake, the headers, and the whole request. */
const readMs = 20_000;
/** For a client to take some of a response. */
const stalledMs = 60_000;
/** The trust in the front proxy is read again at most this often. */
const trustMs = 10_000;

/** Serves the package API over TLS. Port 0 selects a free port. The problem says why it cannot listen. */
export async function listenForPackages(
  options: PackageListenerOptions,
  certificate: ServingCertificate,
  listen: { readonly host: string; readonly port: number },
): Promise<Result<PackageListener, ListenProblem>> {
  const { client, clock, log } = options;
  // Loaded only here, and not by name: the module would load undici as well.
  const { createServer } = process.getBuiltinModule("node:https");
  let own = certificate;
  let trust = await readTrust(client);
  let trustedAt = clock.now();
  const context = (): SecureContextOptions => ({
    cert: own.certificatePem,
    key: own.privateKeyPem,
    // Without one, the authorities of the system would be trusted.
    ca: trust?.authorities ?? own.authorityPem ?? own.certificatePem,
  });
  const server = createServer({
    ...context(),
    requestCert: true,
    // Probes have no certificate; what a connection may do follows from its user.
    rejectUnauthorized: false,
    handshakeTimeout: readMs,
    headersTimeout: readMs,
    requestTimeout: readMs,
  });
  server.timeout = stalledMs;
  /** A front proxy with a new authority is believed from its next connection on. */
  const renewTrust = async (): Promise<void> => {
    if (clock.now() - trustedAt < trustMs) return;
    trustedAt = clock.now();
    trust = await readTrust(client);
    server.setSecureContext(context());
  };
  const stopping = new AbortController();
  server.on("request", (incoming, response) => {
    const socket = incoming.socket as TLSSocket;
    const id = acceptedRequestId(incoming.headers["audit-id"]?.toString()) ?? newRequestId();
    withRequestId(id, () => void answer(incoming, response, options, trust, stopping.signal));
    if (!socket.authorized)
      renewTrust().catch((error: unknown) =>
        log("warn", "cannot read the API server's front proxy configuration", {
          configMap: trustKey.name,
          error: String(error),
        }),
      );
  });
  // Whoever breaks off the handshake needs no answer.
  server.on("tlsClientError", () => undefined);
  const bound = await boundPort(server, listen);
  if (!bound.ok) return bound;
  return done({
    port: bound.value,
    renew(renewed) {
      own = renewed;
      server.setSecureContext(context());
    },
    async stop(graceMs = 2000) {
      await closeServer(server, clock, graceMs);
      stopping.abort(new Error("the package API was stopped"));
    },
  });
}

async function readTrust(client: KubeClient): Promise<FrontProxyTrust | undefined> {
  const published = await client.get(configMaps, trustKey);
  return published === undefined ? undefined : frontProxyTrust(published);
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: PackageListenerOptions,
  trust: FrontProxyTrust | undefined,
  stopping: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the client disconnected")));
  const { log } = options;
  const { method = "", url = "" } = incoming;
  // No request has a body that is read.
  incoming.resume();
  try {
    const received = receivedRequest(incoming, trust);
    const signal = AbortSignal.any([gone.signal, stopping]);
    const { status, headers, body } = isExplainPath(received.path)
      ? await explained(url, incoming, received, options, signal)
      : await answerPackageRequest(received, options, signal);
    response.writeHead(status, headers);
    await pipeline(Readable.from(method === "HEAD" ? [] : body), response);
    log("debug", "package request", { method, target: url, user: received.user.name, status });
  } catch (error) {
    if (gone.signal.aborted) return;
    log("warn", "a request for PackageManifests failed", { method, target: url, error: String(error) });
    // Headers that are sent cannot be changed: closing the connection shows the client that the body is incomplete.
    if (response.headersSent) response.destroy();
    else await pipeline(Readable.from(failure.body), response.writeHead(failure.status, failure.headers));
  }
}

/** For whom the API server's front proxy or a bearer token names. */
async function explained(
  target: string,
  { headers }: IncomingMessage,
  { user: named, accept }: ReceivedRequest,
  { explain, tokens, reviews }: PackageListenerOptions,
  signal: AbortSignal,
): Promise<PackageAnswer> {
  const user = named.name === anonymous.name ? await tokens.bearer(headers.authorization, signal) : named;
  const port = explain();
  const type = { "content-type": "text/plain; charset=utf-8" };
  if (user === undefined)
    return { status: 401, headers: { ...type, "www-authenticate": "Bearer" }, body: ["Unauthorized\n"] };
  if (port === undefined) return { status: 503, headers: { ...type, "retry-after": "1" }, body: ["starting\n"] };
  const { body, ...answer } = await answerExplain({ target, accept, user }, { port, reviews }, signal);
  return { ...answer, body: [body] };
}

/** The cause is in the log: the client may be anybody. */
const failure: PackageAnswer = {
  status: 500,
  headers: { "content-type": "application/json" },
  body: [`${JSON.stringify(statusObject(statusOf("InternalError", "the package API is temporarily unavailable")))}\n`],
};

function receivedRequest(incoming: IncomingMessage, trust: FrontProxyTrust | undefined): ReceivedRequest {
  const { method = "", url = "", headers, headersDistinct } = incoming;
  const socket = incoming.socket as TLSSocket;
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const commonName = socket.authorized ? socket.getPeerCertificate().subject.CN : undefined;
  return {
    method,
    path,
    query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)),
    accept: headers.accept ?? "",
    ifNoneMatch: headers["if-none-match"] ?? "",
    user: requestingUser(headersDistinct, { isVerified: socket.authorized, commonName: oneOf(commonName) }, trust),
  };
}

/** A certificate with several common names is nobody's. */
function oneOf(name: string | readonly string[] | undefined): string | undefined {
  return typeof name === "string" ? name : undefined;
}
