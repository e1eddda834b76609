import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { TLSSocket } from "node:tls";
import type { Clock } from "@purser/kubernetes/clock";
import type { Log } from "@purser/kubernetes/kube/log";
import { done, type Result } from "@purser/kubernetes/result";
import { acceptedRequestId, newRequestId, withRequestId } from "@purser/kubernetes/system/request-id";
import { boundPort, closeServer, type ListenProblem } from "../../registry-api/http/listening.ts";
import { renewableServer, type ServerCertificates } from "../../registry-api/http/tls-server.ts";
import { answerDoor, type DoorOptions } from "./door-answer.ts";

export interface DoorListenerOptions extends DoorOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: plain HTTP. */
  readonly certificates?: ServerCertificates;
}

export interface DoorListener {
  readonly port: number;
  /** New connections get this certificate. */
  renew(certificates: ServerCertificates): void;
  stop(graceMs?: number): Promise<void>;
}

/** For the TLS handshake, the headers, and the whole request. */
const readMs = 20_000;

/** Serves {@link answerDoor} over HTTP/1.1, with TLS 1.2 or newer where certificates are given. Port 0 selects a free one. */
export async function listenAtDoor(
  options: DoorListenerOptions,
  listen: { readonly host: string; readonly port: number },
): Promise<Result<DoorListener, ListenProblem>> {
  const stopping = new AbortController();
  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    const id = acceptedRequestId(incoming.headers["x-request-id"]?.toString()) ?? newRequestId();
    response.setHeader("x-request-id", id);
    withRequestId(id, () => void answer(incoming, response, options, stopping.signal));
  };
  const limits = { headersTimeout: readMs, requestTimeout: readMs, handshakeTimeout: readMs };
  const { server, renew } = renewableServer(limits, options.certificates, serve);
  const bound = await boundPort(server, listen);
  if (!bound.ok) return bound;
  return done({
    port: bound.value,
    renew,
    async stop(graceMs = 2000) {
      stopping.abort(new Error("the metrics address was closed"));
      await closeServer(server, options.clock, graceMs);
    },
  });
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: DoorListenerOptions,
  stopping: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the client disconnected")));
  const { method = "", url = "" } = incoming;
  // No request has a body that is read.
  incoming.resume();
  try {
    const { status, headers, body } = await answerDoor(
      {
        method,
        target: url,
        authorization: incoming.headers.authorization,
        accept: incoming.headers.accept ?? "",
        isVerified:
          options.certificates?.clientAuthorities !== undefined && (incoming.socket as TLSSocket).authorized === true,
      },
      options,
      AbortSignal.any([gone.signal, stopping]),
    );
    response.writeHead(status, headers);
    if (method === "HEAD") response.end();
    else if (typeof body === "string") response.end(body);
    else await pipeline(body, response);
  } catch (error) {
    if (gone.signal.aborted) return;
    options.log("warn", "a request failed", { method, target: url, error: String(error) });
    // The cause is in the log: the client may be anybody.
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { "content-type": "text/plain; charset=utf-8" }).end("Internal Server Error\n");
  }
}
