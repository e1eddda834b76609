import type { JsonValue } from "../json.ts";
import type { KubeObject } from "../apis/object.ts";

/** Who a request acts as. In-process callers state it; a listener derives it from certificate or token. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

export interface WatchEvent {
  readonly type: WatchEventType;
  /** A `Status` when `type` is `ERROR`. */
  readonly object: KubeObject;
}

/**
 * A body as it is cheapest to hand over: in process the immutable object or the event iterator itself,
 * over a socket bytes. A receiver must accept every form.
 */
export type ApiBody =
  | { readonly kind: "object"; readonly value: JsonValue }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "stream"; readonly chunks: AsyncIterable<Uint8Array> }
  /** One long text in pieces; each is made when the one before has been taken. */
  | { readonly kind: "texts"; readonly texts: Iterable<string> }
  | { readonly kind: "events"; readonly events: AsyncIterable<WatchEvent> };

export interface ApiRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** Absolute path without query, segments percent-encoded. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Names in lower case. Values of a repeated header (`impersonate-group`) are separated by a line feed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ApiBody;
}

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case; several `warning` headers are joined by `, ` as HTTP allows. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: ApiBody;
}

/**
 * Sends one request and gives its answer, whatever its status code. Sockets and in-process alike.
 * Rejects only when there is no answer: connection lost, signal aborted.
 */
export type Transport = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;
