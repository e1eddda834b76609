import { asJson, asKubeObject, type KubeObject } from "../apis/object.ts";
import type { ObjectWrite, WriteRefusal, Written } from "../apis/object-write.ts";
import { apiVersionOf, resourcePath, type ResourceType } from "../apis/resource-type.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { done, failed, type Result } from "../result.ts";
import { readBody, readEvents, UnreadableAnswerError } from "./api-body.ts";
import type { Counters } from "./counters.ts";
import { impersonationHeaders } from "./access/impersonation.ts";
import type { ListScope, ObjectReader } from "./object-reader.ts";
import type { ObjectWriter } from "./object-writer.ts";
import { ApiRefusedError, isRefused, refusalOf, statusOf } from "./refusal.ts";
import type { ApiRequest, ApiResponse, Transport, UserInfo, WatchEvent } from "./transport.ts";
import { parseWarnings } from "./warnings.ts";
import { writeRequest } from "./write-request.ts";

export interface ObjectPage<Type extends KubeObject = KubeObject> {
  readonly items: readonly Type[];
  /** Version of the whole snapshot, from which a watch can start. */
  readonly resourceVersion: string;
  /** Absent on the last page. */
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
}

export interface PageOptions {
  readonly limit?: number;
  readonly continueToken?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** Requests only metadata (`PartialObjectMetadata`). */
  readonly metadataOnly?: boolean;
}

export interface WatchOptions {
  /** Events after this version; when absent, synthetic `ADDED` events for all existing objects, then live events. */
  readonly resourceVersion?: string;
  readonly allowBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  /** How long the connection may be silent. Default: that of the transport. */
  readonly idleTimeoutMs?: number;
  readonly metadataOnly?: boolean;
}

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly platform?: string;
}

/**
 * A client of one API server as one user. Reads reject with `ApiRefusedError` when refused; writes return the refusal.
 */
export interface KubeClient extends ObjectReader, ObjectWriter {
  readonly transport: Transport;
  /** One page of a list. An unserved type (404) is an error here; `list` returns an empty list for it. */
  page<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope,
    options: PageOptions,
    signal: AbortSignal,
  ): Promise<ObjectPage<Type>>;
  /**
   * One watch connection: events until the server closes it (the iterable ends) or `signal` aborts (it rejects). An
   * `ERROR` event rejects with `ApiRefusedError`. `listAndWatch` resumes and relists.
   */
  watch<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
  /** Sends any request unchanged, with this client's user agent and identity. */
  request(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse>;
  /**
   * Sends any request with a JSON response.
   * @throws ApiRefusedError for codes from 400
   */
  requestJson(request: ApiRequest, signal: AbortSignal): Promise<JsonValue>;
  version(signal: AbortSignal): Promise<ServerVersion>;
  /** A client of the same server as another user, by impersonation headers. */
  asUser(user: UserInfo): KubeClient;
}

export interface ClientOptions {
  /** `User-Agent`; the part before the first `/` is the default field manager. Default `purser`. */
  readonly userAgent?: string;
  readonly metrics?: Counters;
  /** Aborts `get` and `list`, which have no signal parameter. Default: never. */
  readonly signal?: AbortSignal;
  /** Page size of `list`. Default 500, as in client-go. */
  readonly pageSize?: number;
}

const neverAborted = new AbortController().signal;

/** A client over any transport: sockets, in process, or a test's. */
export function createClient(transport: Transport, options: ClientOptions = {}): KubeClient {
  const { userAgent = "purser", metrics, signal: ownSignal = neverAborted, pageSize = 500 } = options;

  async function request(asked: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const headers = { accept: "application/json", "user-agent": userAgent, ...asked.headers };
    const answer = await transport({ ...asked, headers }, signal);
    metrics?.add("api_requests_total", { method: asked.method, code: String(answer.status) });
    return answer;
  }

  async function requestJson(asked: ApiRequest, signal: AbortSignal): Promise<JsonValue> {
    const answer = await request(asked, signal);
    const { json, text } = await readBody(answer.body);
    if (answer.status >= 400) throw refused(answer, json, text);
    if (json === undefined) throw new UnreadableAnswerError(`The answer to ${asked.method} ${asked.path} is no JSON`);
    return json;
  }

  async function page<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope,
    paging: PageOptions,
    signal: AbortSignal,
  ): Promise<ObjectPage<Type>> {
    const query = scopeQuery(scope);
    if (paging.limit !== undefined) query.set("limit", String(paging.limit));
    if (paging.continueToken !== undefined) query.set("continue", paging.continueToken);
    if (paging.resourceVersion !== undefined) query.set("resourceVersion", paging.resourceVersion);
    if (paging.resourceVersionMatch !== undefined) query.set("resourceVersionMatch", paging.resourceVersionMatch);
    const headers = paging.metadataOnly === true ? { accept: metadataOf("PartialObjectMetadataList") } : {};
    const path = resourcePath(type, scope.namespace === undefined ? {} : { namespace: scope.namespace });
    return pageOf(type, await requestJson({ method: "GET", path, query, headers }, signal));
  }

  /** Lists all objects in pages. When the snapshot expires in between, lists again without pages, as client-go does. */
  async function list<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope = {},
  ): Promise<readonly Type[]> {
    const items: Type[] = [];
    let continueToken: string | undefined;
    try {
      do {
        const paging = { limit: pageSize, ...(continueToken === undefined ? {} : { continueToken }) };
        const found = await page(type, scope, paging, ownSignal);
        items.push(...found.items);
        continueToken = found.continueToken;
      } while (continueToken !== undefined);
      return items;
    } catch (error) {
      if (isRefused(error, "notFound")) return [];
      if (continueToken === undefined || !isRefused(error, "gone")) throw error;
      return (await page(type, scope, {}, ownSignal)).items;
    }
  }

  async function* watch<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope,
    watching: WatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent, void, undefined> {
    const query = scopeQuery(scope);
    query.set("watch", "true");
    if (watching.resourceVersion !== undefined) query.set("resourceVersion", watching.resourceVersion);
    if (watching.allowBookmarks === true) query.set("allowWatchBookmarks", "true");
    if (watching.timeoutSeconds !== undefined) query.set("timeoutSeconds", String(watching.timeoutSeconds));
    const headers = watching.metadataOnly === true ? { accept: metadataOf("PartialObjectMetadata") } : {};
    const path = resourcePath(type, scope.namespace === undefined ? {} : { namespace: scope.namespace });
    const idle = watching.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: watching.idleTimeoutMs };
    const answer = await request({ method: "GET", path, query, headers, ...idle }, signal);
    if (answer.status >= 400) {
      const { json, text } = await readBody(answer.body);
      throw refused(answer, json, text);
    }
    for await (const event of readEvents(answer.body)) {
      if (event.type === "ERROR") {
        const status = asJson(event.object);
        const code = typeof status["code"] === "number" && status["code"] >= 400 ? status["code"] : 500;
        throw new ApiRefusedError(refusalOf(statusOf(code, status, "")));
      }
      yield event;
    }
  }

  async function write(asked: ObjectWrite, signal: AbortSignal): Promise<Result<Written, WriteRefusal>> {
    const answer = await request(writeRequest(asked), signal);
    const { json, text } = await readBody(answer.body);
    if (answer.status >= 400) return failed(refused(answer, json, text).refusal);
    const object = asKubeObject(json);
    const warnings = parseWarnings(answer.headers["warning"]);
    const stored = asked.verb === "delete" ? (object !== undefined && stillThere(object) ? object : undefined) : object;
    const uid = asked.verb === "delete" ? uidOfDeleted(json) : undefined;
    const deleted = uid === undefined ? {} : { deletedUid: uid };
    return done(stored === undefined ? { ...deleted, warnings } : { object: stored, ...deleted, warnings });
  }

  return {
    transport,
    page,
    list,
    watch,
    write,
    request,
    requestJson,
    async get(type, key) {
      const path = resourcePath(type, key);
      try {
        return typed(type, await requestJson({ method: "GET", path }, ownSignal));
      } catch (error) {
        if (isRefused(error, "notFound")) return undefined;
        throw error;
      }
    },
    async version(signal) {
      return (await requestJson({ method: "GET", path: "/version" }, signal)) as unknown as ServerVersion;
    },
    asUser: (user) => createClient(impersonating(transport, user), options),
  };
}

function refused(answer: ApiResponse, json: JsonValue | undefined, text: string): ApiRefusedError {
  return new ApiRefusedError(refusalOf(statusOf(answer.status, json, text, answer.headers["retry-after"])));
}

function metadataOf(as: "PartialObjectMetadata" | "PartialObjectMetadataList"): string {
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}

function scopeQuery({ labelSelector, fieldSelector }: ListScope): URLSearchParams {
  const query = new URLSearchParams();
  if (labelSelector !== undefined && labelSelector !== "") query.set("labelSelector", labelSelector);
  if (fieldSelector !== undefined && fieldSelector !== "") query.set("fieldSelector", fieldSelector);
  return query;
}

/** Trusts the API server to serve the type; sets kind and apiVersion, which items of built-in lists lack. */
function typed<Type extends KubeObject>(type: ResourceType<Type>, value: JsonValue): Type {
  const object = isJsonObject(value) && value["kind"] === undefined ? withKind(type, value) : asKubeObject(value);
  if (object === undefined) throw new UnreadableAnswerError(`The server served no object as ${type.kind}`);
  return object as Type;
}

function withKind(type: ResourceType, value: JsonObject): KubeObject | undefined {
  return asKubeObject({ apiVersion: apiVersionOf(type), kind: type.kind, ...value });
}

function pageOf<Type extends KubeObject>(type: ResourceType<Type>, body: JsonValue): ObjectPage<Type> {
  const metadata = isJsonObject(body) ? body["metadata"] : undefined;
  const items = isJsonObject(body) ? (body["items"] ?? []) : undefined;
  if (!isJsonObject(metadata) || !Array.isArray(items))
    throw new UnreadableAnswerError(`The server served no list of ${type.plural}`);
  const { resourceVersion, continue: token, remainingItemCount } = metadata;
  return {
    items: (items as readonly JsonValue[]).map((item) => typed(type, item)),
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    ...(typeof token === "string" && token !== "" ? { continueToken: token } : {}),
    ...(typeof remainingItemCount === "number" ? { remainingItemCount } : {}),
  };
}

/**
 * For several kinds DELETE returns the deleted object; true only when it still exists because of finalizers or a grace
 * period.
 */
function stillThere({ kind, metadata }: KubeObject): boolean {
  if (kind === "Status" || metadata.deletionTimestamp === undefined) return false;
  return (metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
}

/** DELETE returns the object itself, or a Status that names it. */
function uidOfDeleted(answer: JsonValue | undefined): string | undefined {
  if (!isJsonObject(answer)) return undefined;
  const named = answer["kind"] === "Status" ? answer["details"] : answer["metadata"];
  const uid = isJsonObject(named) ? named["uid"] : undefined;
  return typeof uid === "string" && uid !== "" ? uid : undefined;
}

function impersonating(transport: Transport, user: UserInfo): Transport {
  const headers = impersonationHeaders(user);
  return (request, signal) => transport({ ...request, headers: { ...request.headers, ...headers } }, signal);
}
