import type { JsonValue } from "../json.ts";
import type { KubeObject } from "../apis/object.ts";

/** The user of a request. In-process callers set it; a listener derives it from a certificate or token. */
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
 * A body in the form that is cheapest to pass: in process the immutable object or the event iterator, over a socket
 * bytes. Receivers must accept every form.
 */
export type ApiBody =
  | { readonly kind: "object"; readonly value: JsonValue }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "stream"; readonly chunks: AsyncIterable<Uint8Array> }
  /** One long text in pieces; each is created after the previous one was consumed. */
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
  /** Over sockets: timeout between two bytes of the response. Default: that of the transport. */
  readonly idleTimeoutMs?: number;
}

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case; several `warning` headers are joined by `, ` as HTTP allows. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: ApiBody;
}

/**
 * Sends one request and returns the response, whatever its status code, over sockets or in process. Rejects only
 * without a response: connection lost, signal aborted.
 */
export type Transport = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;
