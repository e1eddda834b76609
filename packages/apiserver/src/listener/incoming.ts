import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { ClientCertificate } from "../authentication/authenticator.ts";
import { isDecodable } from "../request/request-path.ts";
import { parseQuery } from "../request/query.ts";
import type { SocketRefusal } from "./socket-refusal.ts";
import { plainRefusal } from "./socket-refusal.ts";

/** Header names in lower case; repeated headers are joined. */
export function headersOf(incoming: IncomingMessage): Record<string, string> {
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

/** Characters allowed in a Host header. */
const hostBytes = /^[\w!$%&'()*+,\-.:;=@[\]~]*$/;

/** Requests that Go's HTTP server refuses before routing. */
export function protocolProblem({
  httpVersion,
  headers,
  rawHeaders,
  url = "",
}: IncomingMessage): SocketRefusal | undefined {
  if (!httpVersion.startsWith("1."))
    return plainRefusal("505 HTTP Version Not Supported", "unsupported protocol version");
  const { host } = headers;
  if (host === undefined) {
    if (httpVersion !== "1.0") return plainRefusal("400 Bad Request", "missing required Host header");
  } else if (!hostBytes.test(host)) return plainRefusal("400 Bad Request", "malformed Host header");
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host" && ++hosts > 1) return plainRefusal("400 Bad Request");
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return {
      status: "501 Not Implemented",
      contentType: "text/plain; charset=utf-8",
      body: "Unsupported transfer encoding",
    };
  return url.includes("%") && !isDecodable(pathOf(url)) ? plainRefusal("400 Bad Request") : undefined;
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Other methods are treated like OPTIONS, which no resource supports. */
function methodOf({ method = "GET" }: IncomingMessage): ApiRequest["method"] {
  return methods.has(method) ? (method as ApiRequest["method"]) : "OPTIONS";
}

function pathOf(url: string): string {
  const mark = url.indexOf("?");
  return mark < 0 ? url : url.slice(0, mark);
}

/** Path and query of an absolute-form target, as sent to proxies. */
function originForm(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*(?=[/?]|$)/i, "");
}

/** Converts to the request of the handler chain. The body is read lazily. */
export function requestOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  headers: Record<string, string>,
  isExpecting: boolean,
): ApiRequest {
  const url = originForm(incoming.url ?? "/");
  const path = pathOf(url);
  return {
    method: methodOf(incoming),
    path: path === "" ? "/" : path,
    query: parseQuery(url.slice(path.length + 1)),
    headers,
    ...(hasBody(incoming)
      ? { body: { kind: "stream", chunks: isExpecting ? afterContinue(incoming, outgoing) : chunksOf(incoming) } }
      : {}),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? "0") > 0;
}

/**
 * Unlike Node's iterator it leaves the connection open when the consumer stops. A short body that has already arrived
 * is returned at once, because Node's iterator takes longer than parsing it.
 * @throws when the client disconnects before the end
 */
async function* chunksOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = incoming.read() as Uint8Array | null;
    if (chunk !== null) yield chunk;
    else if (incoming.readableEnded || (incoming.complete && incoming.readableLength === 0)) return;
    else if (incoming.destroyed) throw incoming.errored ?? new Error("the client left before the end of its body");
    else await somethingNew(incoming);
  }
}

const news = ["readable", "end", "error", "close"] as const;

function somethingNew(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      for (const event of news) incoming.removeListener(event, look);
      resolve();
    };
    for (const event of news) incoming.on(event, look);
  });
}

/** Sends `100 Continue` when the body is first read. */
async function* afterContinue(incoming: IncomingMessage, outgoing: ServerResponse): AsyncGenerator<Uint8Array> {
  outgoing.writeContinue();
  yield* chunksOf(incoming);
}

/**
 * Read once per connection, because that takes as long as the rest of a short request; without renegotiation it cannot
 * change.
 */
const certificates = new WeakMap<TLSSocket, { readonly certificate: ClientCertificate | undefined }>();

/** The client certificate of the TLS handshake; undefined when there is none. */
export function certificateOf(incoming: IncomingMessage): ClientCertificate | undefined {
  const socket = incoming.socket as TLSSocket;
  const known = certificates.get(socket);
  if (known !== undefined) return known.certificate;
  const certificate = readCertificate(socket);
  certificates.set(socket, { certificate });
  return certificate;
}

function readCertificate(socket: TLSSocket): ClientCertificate | undefined {
  if (socket.getPeerX509Certificate() === undefined) return undefined;
  if (!socket.authorized) return { kind: "invalid" };
  const peer = socket.getPeerCertificate();
  const subject = (peer.subject ?? {}) as Record<string, string | readonly string[]>;
  const list = (value: string | readonly string[] | undefined): readonly string[] =>
    value === undefined ? [] : typeof value === "string" ? [value] : value;
  return {
    kind: "valid",
    commonName: list(subject["CN"])[0] ?? "",
    organizations: list(subject["O"]),
    fingerprint: peer.fingerprint256.replaceAll(":", "").toLowerCase(),
    validUntil: Date.parse(peer.valid_to),
  };
}
