import type { KubeObject } from "../apis/object.ts";
import type { ResourceType } from "../apis/resource-type.ts";
import type { JsonValue } from "../json.ts";
import type { Counters } from "./counters.ts";
import type { ListScope, ObjectReader } from "./object-reader.ts";
import type { ObjectWriter } from "./object-writer.ts";
import type { ApiRequest, ApiResponse, Transport, UserInfo, WatchEvent } from "./transport.ts";

export interface ObjectPage<Type extends KubeObject = KubeObject> {
  readonly items: readonly Type[];
  /** Of the whole snapshot; where a watch goes on from. */
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
  /** Ask the server for metadata alone (`PartialObjectMetadata`). */
  readonly metadataOnly?: boolean;
}

export interface WatchOptions {
  /** Events after this one; absent: synthetic `ADDED` for everything there is, then live events. */
  readonly resourceVersion?: string;
  readonly allowBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  readonly metadataOnly?: boolean;
}

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly platform?: string;
}

/** One API server seen as one user. Reads reject with `ApiRefusedError` when refused; writes return the refusal. */
export interface KubeClient extends ObjectReader, ObjectWriter {
  readonly transport: Transport;
  /** One page of a list. An unserved type (404) is an error here; `list` answers it with an empty list. */
  page<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope,
    options: PageOptions,
    signal: AbortSignal,
  ): Promise<ObjectPage<Type>>;
  /**
   * One watch connection: events until the server closes it (the iterable ends) or `signal` aborts (it rejects).
   * An `ERROR` event rejects with `ApiRefusedError`. For one that resumes and relists see `listAndWatch`.
   */
  watch<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
  /** Any request as it is, with this client's user agent and identity. */
  request(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse>;
  /** Any request whose answer is JSON. @throws ApiRefusedError for codes from 400 */
  requestJson(request: ApiRequest, signal: AbortSignal): Promise<JsonValue>;
  version(signal: AbortSignal): Promise<ServerVersion>;
  /** The same server as another user, by impersonation headers. */
  asUser(user: UserInfo): KubeClient;
}

export interface ClientOptions {
  /** `User-Agent`; up to its first `/` it is the default field manager. Default `purser`. */
  readonly userAgent?: string;
  readonly metrics?: Counters;
  /** Ends `get` and `list`, which take no signal of their own. Default: never. */
  readonly signal?: AbortSignal;
  /** Items per page of a whole list. Default 500, as client-go. */
  readonly pageSize?: number;
}

export declare function createClient(transport: Transport, options?: ClientOptions): KubeClient;
