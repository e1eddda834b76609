import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { Scene } from "./scene.ts";

/** A received request. */
export interface Received {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Empty when the body is not a JSON object. */
  readonly body: JsonObject;
  /** Common name of the client's certificate. */
  readonly clientName: string | undefined;
}

export interface Reply {
  /** 200 by default. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent unchanged. */
  readonly body?: JsonValue;
}

export interface TlsServer {
  readonly port: number;
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** Base64, as in API objects. */
  readonly caBundle: string;
  /** In the order of arrival. */
  readonly received: readonly Received[];
  close(): Promise<void>;
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  let body: JsonValue = null;
  try {
    body = JSON.parse(text) as JsonValue;
  } catch {
    // Not JSON.
  }
  const subject = (request.socket as TLSSocket).getPeerCertificate().subject as { readonly CN?: string } | undefined;
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body: isJsonObject(body) ? body : {},
    clientName: subject?.CN,
  };
}

/**
 * A server on 127.0.0.1 for requests by the API server; it is closed with the case. `names`: further names in its
 * certificate.
 */
export async function tlsServer(
  scene: Scene,
  answer: (received: Received) => Reply | Promise<Reply>,
  names: readonly string[] = [],
): Promise<TlsServer> {
  const issuing = { now: Date.now() - 60_000, validityMs: 3_600_000, entropy: systemEntropy };
  const authority = await issueAuthority({ ...issuing, commonName: "conformance" });
  const hosts = ["127.0.0.1", "localhost", ...names];
  const { certificatePem, privateKeyPem } = await issueServing({ ...issuing, authority, hosts });
  const received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const read = await readRequest(request);
    received.push(read);
    const { code = 200, headers = {}, body = "" } = await answer(read);
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const server = createServer(
    { cert: certificatePem, key: privateKeyPem, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      respond(request, response).catch(() => response.destroy());
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  // The server does not list connections during their handshake.
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const close = (): Promise<void> => {
    server.close();
    for (const socket of sockets) socket.destroy();
    return Promise.resolve();
  };
  scene.atEnd(close);
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    caBundle: Buffer.from(authority.certificatePem).toString("base64"),
    received,
    close,
  };
}
