import type { KubeObject } from "../../apis/object.ts";
import { asJson, formatKey, keyOf } from "../../apis/object.ts";
import { matchesSelector, parseLabelSelector } from "../../apis/selector.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { ApiRequest, ApiResponse, Transport, WatchEvent } from "../transport.ts";

interface Revision {
  readonly collection: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  readonly version: number;
}

interface Watcher {
  readonly send: (event: WatchEvent) => void;
  readonly end: () => void;
}

/**
 * A minimal in-memory API server for tests of the client; unsupported requests are refused. Tests inject failures with
 * `dropWatches`, `compact` and `refuse`.
 */
export class MemoryApi {
  readonly requests: string[] = [];
  readonly transport: Transport = (request, signal) => this.#serve(request, signal);
  /** Called before each request: a returned status is the response, a throw breaks the connection. */
  refuse: (request: ApiRequest) => JsonObject | undefined = () => undefined;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #history: Revision[] = [];
  readonly #watchers = new Set<Watcher>();
  readonly #served: ReadonlySet<string>;
  #version = 100;
  #oldest = 0;
  #uid = 0;

  /** `served`: collection paths such as `/api/v1/configmaps`. */
  constructor(served: readonly string[]) {
    this.#served = new Set(served);
  }

  /** Ends every watch connection, like a server restart. */
  dropWatches(): void {
    for (const { end } of this.#watchers) end();
  }

  /** Watches from earlier versions get 410. */
  compact(): void {
    this.#oldest = this.#version;
    this.#history.length = 0;
  }

  get watches(): number {
    return this.#watchers.size;
  }

  async #serve(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    await Promise.resolve();
    signal.throwIfAborted();
    this.requests.push(`${request.method} ${request.path}${request.query?.has("watch") === true ? "?watch" : ""}`);
    const refusal = this.refuse(request);
    if (refusal !== undefined) return status(Number(refusal["code"]), refusal);
    const match =
      /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(
        request.path,
      );
    const [, root = "", namespace, plural = "", name, subresource] = match ?? [];
    const collection = `${root}/${plural}`;
    if (!this.#served.has(collection))
      return refused(404, "NotFound", "the server could not find the requested resource");
    if (subresource === "token") return this.#token(name ?? "");
    const held = this.#objects.get(collection) ?? new Map<string, KubeObject>();
    this.#objects.set(collection, held);
    const key = formatKey(namespace === undefined ? { name: name ?? "" } : { namespace, name: name ?? "" });
    const body = request.body?.kind === "object" ? request.body.value : {};
    if (name === undefined && request.method === "GET") {
      const watching = request.query?.get("watch") === "true";
      return watching ? this.#watch(collection, namespace, request, signal) : this.#list(held, namespace, request);
    }
    const before = held.get(key);
    if (request.method === "POST") return this.#create(collection, held, body as unknown as KubeObject);
    if (before === undefined) return refused(404, "NotFound", `${plural} "${name}" not found`);
    switch (request.method) {
      case "GET":
        return answer(200, asJson(before));
      case "PUT": {
        const next = body as unknown as KubeObject;
        const { resourceVersion } = next.metadata;
        if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
          return refused(409, "Conflict", `Operation cannot be fulfilled on ${plural} "${name}"`);
        return answer(200, asJson(this.#put(collection, held, next, before)));
      }
      case "PATCH":
        return answer(200, asJson(this.#put(collection, held, merged(before, body) as unknown as KubeObject, before)));
      case "DELETE":
        return this.#delete(collection, held, before);
      case "HEAD":
      case "OPTIONS":
        return refused(405, "MethodNotAllowed", "not in this test server");
    }
  }

  #token(name: string): ApiResponse {
    const expirationTimestamp = "2026-01-01T01:00:00Z";
    return answer(201, {
      kind: "TokenRequest",
      status: { token: `token-${name}-${++this.#uid}`, expirationTimestamp },
    });
  }

  #list(held: Map<string, KubeObject>, namespace: string | undefined, { query }: ApiRequest): ApiResponse {
    const sorted = [...held].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    const all = sorted.filter((object) => matches(object, namespace, query));
    const start = Number(query?.get("continue") ?? 0);
    const limit = Number(query?.get("limit") ?? all.length);
    const rest = all.length - start - limit;
    return answer(200, {
      kind: "List",
      metadata: {
        resourceVersion: String(this.#version),
        ...(rest > 0 ? { continue: String(start + limit), remainingItemCount: rest } : {}),
      },
      items: all.slice(start, start + limit).map(asJson),
    });
  }

  #watch(collection: string, namespace: string | undefined, { query }: ApiRequest, signal: AbortSignal): ApiResponse {
    const since = Number(query?.get("resourceVersion") ?? 0);
    const queue: WatchEvent[] = [];
    let wake: () => void = () => {};
    let ended = false;
    const watcher: Watcher = {
      send(event) {
        queue.push(event);
        wake();
      },
      end() {
        ended = true;
        wake();
      },
    };
    const send = (revision: Revision): void => {
      if (revision.collection !== collection || revision.version <= since) return;
      const was = revision.before !== undefined && matches(revision.before, namespace, query);
      const is = revision.after !== undefined && matches(revision.after, namespace, query);
      const version = String(revision.version);
      if (is && revision.after !== undefined)
        watcher.send({ type: was ? "MODIFIED" : "ADDED", object: revision.after });
      else if (was && revision.before !== undefined)
        watcher.send({
          type: "DELETED",
          object: { ...revision.before, metadata: { ...revision.before.metadata, resourceVersion: version } },
        });
    };
    if (since < this.#oldest) {
      const expired = {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        code: 410,
        reason: "Expired",
        message: "too old",
      };
      queue.push({ type: "ERROR", object: expired });
      ended = true;
    } else {
      for (const revision of this.#history) send(revision);
      this.#watchers.add(watcher);
      this.#senders.set(watcher, send);
    }
    signal.addEventListener("abort", () => watcher.end(), { once: true });
    const watchers = this.#watchers;
    async function* events(): AsyncGenerator<WatchEvent, void, undefined> {
      try {
        for (;;) {
          for (const event of queue.splice(0)) yield event;
          signal.throwIfAborted();
          if (ended) return;
          if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        watchers.delete(watcher);
      }
    }
    return { status: 200, headers: {}, body: { kind: "events", events: events() } };
  }

  readonly #senders = new Map<Watcher, (revision: Revision) => void>();

  #create(collection: string, held: Map<string, KubeObject>, object: KubeObject): ApiResponse {
    if (held.has(formatKey(keyOf(object)))) return refused(409, "AlreadyExists", "already exists");
    const uid = `uid-${++this.#uid}`;
    return answer(
      201,
      asJson(this.#put(collection, held, { ...object, metadata: { ...object.metadata, uid } }, undefined)),
    );
  }

  #put(
    collection: string,
    held: Map<string, KubeObject>,
    object: KubeObject,
    before: KubeObject | undefined,
  ): KubeObject {
    const resourceVersion = String(++this.#version);
    const uid = before?.metadata.uid ?? object.metadata.uid ?? "";
    const after: KubeObject = { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
    const ended = after.metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
    if (ended) held.delete(formatKey(keyOf(after)));
    else held.set(formatKey(keyOf(after)), after);
    this.#publish({ collection, before, after: ended ? undefined : after, version: this.#version });
    return after;
  }

  #delete(collection: string, held: Map<string, KubeObject>, before: KubeObject): ApiResponse {
    if ((before.metadata.finalizers ?? []).length > 0) {
      const metadata = { ...before.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
      return answer(200, asJson(this.#put(collection, held, { ...before, metadata }, before)));
    }
    held.delete(formatKey(keyOf(before)));
    this.#publish({ collection, before, after: undefined, version: ++this.#version });
    const details = { name: before.metadata.name ?? "", uid: before.metadata.uid ?? "" };
    return answer(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
  }

  #publish(revision: Revision): void {
    this.#history.push(revision);
    for (const watcher of this.#watchers) this.#senders.get(watcher)?.(revision);
  }
}

function matches(object: KubeObject, namespace: string | undefined, query: URLSearchParams | undefined): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  const text = query?.get("labelSelector") ?? "";
  const selector = parseLabelSelector(text);
  return text === "" || (selector.ok && matchesSelector(selector.value, object.metadata.labels ?? {}));
}

/** RFC 7386. */
function merged(target: KubeObject | JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const next: Record<string, JsonValue | undefined> = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete next[name];
    else if (value !== undefined) next[name] = merged(next[name] ?? null, value);
  }
  return next as JsonObject;
}

function answer(code: number, value: JsonValue): ApiResponse {
  return { status: code, headers: {}, body: { kind: "object", value } };
}

function refused(code: number, reason: string, message: string): ApiResponse {
  return status(code, { code, reason, message });
}

function status(code: number, facts: JsonObject): ApiResponse {
  return answer(code, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...facts });
}
