import { randomUUID } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TlsOptions, TLSSocket } from "node:tls";
import type { Digest } from "@purser/kubernetes/digest";
import type { Fault, FaultPosition, PlannedFault } from "./fault.ts";
import { answerWithFault } from "./faulty-answer.ts";
import { sha256, type TestBlob, type TestImage } from "./test-image.ts";
import { TokenService, type TokenServiceOptions } from "./token-service.ts";

export interface FaultRegistryOptions {
  /** Serves HTTPS with these options. */
  readonly tls?: TlsOptions;
  /** Absent: everybody may read and write. */
  readonly auth?:
    | { readonly kind: "basic"; readonly username: string; readonly password: string }
    | ({ readonly kind: "token" } & TokenServiceOptions);
}

export interface RecordedRequest {
  readonly position: FaultPosition;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<IncomingMessage["headers"]>;
  readonly body: string;
  /** Common name of the client certificate of the connection. */
  readonly clientName?: string;
}

/**
 * A registry in this process that keeps images in memory, speaks the OCI distribution API (pull, push, mount, ranges,
 * basic and token authentication) and misbehaves on demand:
 *
 *     await using registry = await FaultRegistry.start();
 *     const reference = registry.push("operators/etcd:1", await testImage([{ "manifests/a.yaml": "..." }]));
 *     registry.fail("blob", { fault: { kind: "reset", afterBytes: 100 }, times: 1 });
 *
 * `requests` lists what was asked, in order.
 */
export class FaultRegistry {
  readonly requests: RecordedRequest[] = [];
  /** Answered at `/token` of this registry. */
  readonly tokens: TokenService;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly origin: string;
  readonly #server: Server;
  readonly #options: FaultRegistryOptions;
  readonly #blobs = new Map<string, TestBlob>();
  /** By `repository reference`. */
  readonly #manifests = new Map<string, { readonly mediaType: string; readonly bytes: Uint8Array }>();
  readonly #referrers = new Map<string, Uint8Array>();
  readonly #faults = new Map<FaultPosition, { readonly planned: PlannedFault; used: number }[]>();
  readonly #uploads = new Map<string, Uint8Array>();

  private constructor(server: Server, options: FaultRegistryOptions) {
    this.#server = server;
    this.#options = options;
    this.tokens = new TokenService(options.auth?.kind === "token" ? options.auth : {});
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.origin = `${options.tls === undefined ? "http" : "https"}://${this.host}`;
  }

  static async start(options: FaultRegistryOptions = {}): Promise<FaultRegistry> {
    const server = options.tls === undefined ? createHttpServer() : createHttpsServer({ ...options.tls });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const registry = new FaultRegistry(server, options);
    server.on("request", (request, response) => {
      registry.#answer(request, response).catch(() => response.destroy());
    });
    return registry;
  }

  /** Stores an image under `repository:tag`; returns its full reference. */
  push(name: string, image: TestImage): string {
    const [repository = "", tag = "latest"] = name.split(":");
    for (const blob of [image.config, ...image.layers]) this.#blobs.set(blob.digest, blob);
    this.putManifest(repository, tag, image.manifest);
    return `${this.host}/${repository}:${tag}`;
  }

  /** Stores any bytes as the manifest that a tag, and their own digest, name. */
  putManifest(repository: string, tag: string, { mediaType, bytes }: Pick<TestBlob, "mediaType" | "bytes">): void {
    for (const name of [tag, sha256(bytes)]) this.#manifests.set(`${repository} ${name}`, { mediaType, bytes });
  }

  /** Stores bytes under a name that need not be theirs: a digest of something else, for a registry that lies. */
  putManifestAs(repository: string, name: string, { mediaType, bytes }: Pick<TestBlob, "mediaType" | "bytes">): void {
    this.#manifests.set(`${repository} ${name}`, { mediaType, bytes });
  }

  /** From now on the registry answers to the referrers API for this digest; without it, it does not know the API. */
  putReferrers(repository: string, digest: Digest, index: Uint8Array): void {
    this.#referrers.set(`${repository} ${digest}`, index);
  }

  putBlob(blob: TestBlob): void {
    this.#blobs.set(blob.digest, blob);
  }

  /** What a tag or a digest names; for tests of pushes. */
  manifest(repository: string, name: string): { readonly mediaType: string; readonly bytes: Uint8Array } | undefined {
    return this.#manifests.get(`${repository} ${name}`);
  }

  blob(digest: Digest): Uint8Array | undefined {
    return this.#blobs.get(digest)?.bytes;
  }

  /** From now on requests at this position get the fault; several faults of one position are used up one after the other. */
  fail(position: FaultPosition, planned: PlannedFault): void {
    this.#faults.set(position, [...(this.#faults.get(position) ?? []), { planned, used: 0 }]);
  }

  heal(): void {
    this.#faults.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.origin);
    const position = positionOf(url.pathname);
    const body = await buffer(request);
    const { method = "GET", headers } = request;
    const clientName = clientNameOf(request);
    this.requests.push({
      position,
      method,
      path: `${url.pathname}${url.search}`,
      headers,
      body: body.toString("latin1"),
      ...(clientName !== undefined && { clientName }),
    });
    if (position === "token") {
      this.tokens.answer(request, url, body.toString(), response, this.#takeFault(position, request));
      return;
    }
    // Faults of content are for those who may read it; `/v2/` may fail before anybody is asked who they are.
    const early = position === "ping" ? this.#takeFault(position, request) : undefined;
    if (early === undefined && !this.#isAllowed(request, url)) {
      response.setHeader("WWW-Authenticate", this.#challenge(url));
      answerWithFault(response, { kind: "status", status: 401 }, request, Buffer.alloc(0));
      return;
    }
    const fault = early ?? this.#takeFault(position, request);
    // What a faulty registry answers to a write has not been written.
    const isWrite = request.method !== "GET" && request.method !== "HEAD";
    const found = isWrite && fault !== undefined ? undefined : this.#find(url, request, body, response);
    if (fault !== undefined) answerWithFault(response, fault, request, found ?? Buffer.alloc(0));
    else if (found !== undefined) sendContent(response, request, found);
  }

  #takeFault(position: FaultPosition, request: IncomingMessage): Fault | undefined {
    for (const entry of this.#faults.get(position) ?? []) {
      const { times = Number.POSITIVE_INFINITY, method, name, withRange, fault } = entry.planned;
      if (entry.used >= times || (method ?? request.method) !== request.method) continue;
      if (name !== undefined && request.url?.endsWith(`/${name}`) !== true) continue;
      if (withRange !== undefined && withRange !== (request.headers.range !== undefined)) continue;
      entry.used++;
      return fault;
    }
    return undefined;
  }

  #isAllowed(request: IncomingMessage, url: URL): boolean {
    const { auth } = this.#options;
    const given = request.headers.authorization;
    switch (auth?.kind) {
      case undefined:
        return true;
      case "basic":
        return given === `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString("base64")}`;
      case "token":
        return this.tokens.accepts(given, scopeOf(url, request.method));
    }
  }

  #challenge(url: URL): string {
    if (this.#options.auth?.kind !== "token") return 'Basic realm="registry"';
    const scope = scopeOf(url, "GET");
    const wanted = scope === undefined ? "" : `,scope="${scope}"`;
    return `Bearer realm="${this.origin}/token",service="fault-registry"${wanted}`;
  }

  /** The content to send; undefined when the answer has been sent. Headers that belong to it are set. */
  #find(url: URL, request: IncomingMessage, body: Uint8Array, response: ServerResponse): Uint8Array | undefined {
    if (/^\/v2\/?$/.test(url.pathname)) {
      response.setHeader("Content-Type", "application/json");
      return Buffer.from("{}");
    }
    const [, repository = "", kind = "", name = ""] =
      /^\/v2\/(.+)\/(manifests|blobs\/uploads|blobs|referrers)\/(.*)$/.exec(url.pathname) ?? [];
    const referrers = kind === "referrers" ? this.#referrers.get(`${repository} ${name}`) : undefined;
    if (referrers !== undefined) return referrers;
    if (kind === "blobs/uploads") {
      this.#upload(url, request, body, response, { repository, session: name });
      return undefined;
    }
    if (kind === "manifests" && request.method === "PUT") {
      const mediaType = request.headers["content-type"] ?? "";
      this.putManifest(repository, name, { mediaType, bytes: body });
      response.writeHead(201, { "Docker-Content-Digest": sha256(body), Location: url.pathname }).end();
      return undefined;
    }
    const found = kind === "manifests" ? this.#manifests.get(`${repository} ${name}`) : this.#blobs.get(name);
    if (found === undefined) {
      answerWithFault(response, { kind: "status", status: 404 }, request, Buffer.alloc(0));
      return undefined;
    }
    response.setHeader("Content-Type", kind === "manifests" ? found.mediaType : "application/octet-stream");
    if (kind === "manifests") response.setHeader("Docker-Content-Digest", sha256(found.bytes));
    return found.bytes;
  }

  #upload(
    url: URL,
    request: IncomingMessage,
    body: Uint8Array,
    response: ServerResponse,
    { repository, session }: { readonly repository: string; readonly session: string },
  ): void {
    const base = `/v2/${repository}/blobs`;
    const mount = url.searchParams.get("mount");
    const digest = url.searchParams.get("digest");
    if (request.method === "POST" && mount !== null && this.#blobs.has(mount)) {
      response.writeHead(201, { Location: `${base}/${mount}`, "Docker-Content-Digest": mount }).end();
      return;
    }
    if (request.method === "POST") {
      const id = randomUUID();
      this.#uploads.set(id, Buffer.alloc(0));
      response.writeHead(202, { Location: `${base}/uploads/${id}?state=a%2Fb`, "Docker-Upload-UUID": id }).end();
      return;
    }
    const content = Buffer.concat([this.#uploads.get(session) ?? Buffer.alloc(0), body]);
    if (request.method === "PATCH") {
      this.#uploads.set(session, content);
      response.writeHead(202, { Location: `${base}/uploads/${session}`, Range: `0-${content.length - 1}` }).end();
      return;
    }
    if (digest !== sha256(content)) {
      answerWithFault(response, { kind: "status", status: 400 }, request, Buffer.alloc(0));
      return;
    }
    this.#blobs.set(digest, { mediaType: "application/octet-stream", digest, size: content.length, bytes: content });
    response.writeHead(201, { Location: `${base}/${digest}`, "Docker-Content-Digest": digest }).end();
  }
}

function clientNameOf({ socket }: IncomingMessage): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const name = socket.getPeerX509Certificate()?.subject;
  return /^CN=(.*)$/m.exec(name ?? "")?.[1];
}

function positionOf(path: string): FaultPosition {
  if (path === "/token") return "token";
  if (path.includes("/blobs/uploads/")) return "upload";
  if (path.includes("/manifests/") || path.includes("/referrers/")) return "manifest";
  return path.includes("/blobs/") ? "blob" : "ping";
}

function scopeOf(url: URL, method: string | undefined): string | undefined {
  const repository = /^\/v2\/(.+)\/(?:manifests|blobs|referrers)\//.exec(url.pathname)?.[1];
  if (repository === undefined) return undefined;
  return `repository:${repository}:${method === "GET" || method === "HEAD" ? "pull" : "pull,push"}`;
}

/** The content as a good registry sends it, with ranges. */
function sendContent(response: ServerResponse, request: IncomingMessage, content: Uint8Array): void {
  const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
  const start = Number(range ?? 0);
  if (range !== undefined)
    response.setHeader("Content-Range", `bytes ${start}-${content.length - 1}/${content.length}`);
  response.writeHead(range === undefined ? 200 : 206, { "Content-Length": content.length - start });
  response.end(request.method === "HEAD" ? undefined : content.subarray(start));
}
