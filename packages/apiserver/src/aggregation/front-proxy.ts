import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { ApiRequest, ApiResponse, UserInfo } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { PemPair } from "../listener/identity.ts";
import type { Storage } from "../storage/storage.ts";
import { serviceTarget } from "./service-target.ts";

const yearMs = 365 * 86_400_000;
const hourMs = 3_600_000;
/** The client certificate name that extension servers expect, published in `extension-apiserver-authentication`. */
const proxyName = "front-proxy-client";

const prober: UserInfo = { name: "system:kube-aggregator", groups: ["system:masters"] };

/** Hop-by-hop headers, and identity headers that a client must not set. */
function isDropped(name: string): boolean {
  return (
    ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"].includes(name) ||
    ["authorization", "host", "content-length", "audit-id"].includes(name) ||
    name.startsWith("x-remote-") ||
    name.startsWith("impersonate-")
  );
}

/** Forwards requests for aggregated APIs to the servers behind them. */
export class FrontProxy {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #authority: PemPair;
  #certificate: Promise<PemPair> | undefined;

  constructor(storage: Storage, clock: Clock, entropy: Entropy, authority: PemPair) {
    this.#storage = storage;
    this.#clock = clock;
    this.#entropy = entropy;
    this.#authority = authority;
  }

  /** Address of the server behind an APIService, or why there is none. */
  addressOf(service: APIService): Result<{ readonly url: string; readonly serverName: string }, string> {
    const { namespace = "", name = "", port = 443 } = service.spec?.service ?? {};
    const target = serviceTarget(this.#storage, { namespace, name, port });
    return target.ok
      ? done({ url: `https://${target.value.host}`, serverName: target.value.serverName })
      : failed(target.problem.message);
  }

  /**
   * Forwards the request and returns the response unchanged.
   * @throws when the connection fails
   */
  async forward(
    service: APIService,
    request: ApiRequest,
    user: UserInfo,
    signal: AbortSignal,
  ): Promise<Result<ApiResponse, string>> {
    const address = this.addressOf(service);
    if (!address.ok) return address;
    const { url, serverName } = address.value;
    const certificate = await (this.#certificate ??= this.#issue());
    const query = request.query === undefined || request.query.size === 0 ? "" : `?${request.query.toString()}`;
    const { caBundle = "", insecureSkipTLSVerify = false } = service.spec ?? {};
    const agent = new Agent({
      keepAlive: false,
      cert: certificate.certificatePem,
      key: certificate.privateKeyPem,
      rejectUnauthorized: !insecureSkipTLSVerify,
      ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64") }),
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = httpsRequest(
      `${url}${request.path}${query}`,
      { method: request.method, agent, servername: serverName, signal, headers: this.#headers(request, user) },
      resolve,
    );
    outgoing.on("error", reject);
    const { body } = request;
    // Node frames the body of a DELETE only when told to: the server took it for a further request.
    if (body !== undefined) outgoing.setHeader("transfer-encoding", "chunked");
    if (body?.kind === "stream") pipeline(Readable.from(body.chunks), outgoing, () => undefined);
    else if (body?.kind === "bytes") outgoing.end(body.bytes);
    else outgoing.end(body?.kind === "object" ? JSON.stringify(body.value) : undefined);
    const answer = await promise;
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined && !isDropped(name)) headers[name] = Array.isArray(value) ? value.join(", ") : value;
    return done({ status: answer.statusCode ?? 502, headers, body: { kind: "stream", chunks: answer } });
  }

  /** Requests the group and version of an APIService from its server; returns the body of a successful response. */
  async probe(
    service: APIService,
    path: string,
    signal: AbortSignal,
  ): Promise<Result<{ readonly url: string; readonly text: string }, string>> {
    const address = this.addressOf(service);
    if (!address.ok) return address;
    const url = `${address.value.url}${path}`;
    const refuse = (why: string): Result<never, string> => failed(`failing or missing response from ${url}: ${why}`);
    try {
      const headers = { accept: "application/json" };
      const answer = await this.forward(service, { method: "GET", path, headers }, prober, signal);
      if (!answer.ok) return refuse(answer.problem);
      const { status, body } = answer.value;
      const text = body?.kind === "stream" ? await textOf(body.chunks) : "";
      return status >= 200 && status <= 299 ? done({ url, text }) : refuse(`bad status from ${url}: ${status}`);
    } catch (problem) {
      return refuse(`Get "${url}": ${problem instanceof Error ? problem.message : String(problem)}`);
    }
  }

  #headers(request: ApiRequest, user: UserInfo): Record<string, string | string[]> {
    const given = request.headers ?? {};
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(given)) if (!isDropped(name)) headers[name] = value;
    headers["x-remote-user"] = user.name;
    if (user.groups.length > 0) headers["x-remote-group"] = [...user.groups];
    if (user.uid !== undefined && user.uid !== "") headers["x-remote-uid"] = user.uid;
    for (const [key, values] of Object.entries(user.extra ?? {}))
      headers[`x-remote-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
    headers["x-forwarded-uri"] = request.path;
    headers["x-forwarded-proto"] = "https";
    if (given["host"] !== undefined) headers["x-forwarded-host"] = given["host"];
    headers["audit-id"] = given["audit-id"] ?? this.#entropy.uuid();
    return headers;
  }

  async #issue(): Promise<PemPair> {
    const { issueClient } = await import("@purser/kubernetes/certificate/certificate");
    return issueClient({
      now: this.#clock.now() - hourMs,
      validityMs: yearMs,
      entropy: this.#entropy,
      authority: this.#authority,
      commonName: proxyName,
      organizations: [],
    });
  }
}

/** Limit of OpenAPI and discovery documents in bytes. */
const longestDocument = 16 * 1024 * 1024;

/**
 * The whole document as text.
 * @throws when it exceeds the limit
 */
export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > longestDocument) throw new Error("the answer is too long");
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}
