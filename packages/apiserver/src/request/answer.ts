import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ApiResponse, WatchEventType } from "@purser/kubernetes/kube/transport";
import type { StoredVersion } from "../storage/storage.ts";
import type { Encoding } from "./negotiation.ts";

/** An object of a list or watch; a stored one is sent as its text without parsing. */
export type Item = Pick<StoredVersion, "object" | "passing" | "text"> & {
  /** Of a stored one, the length of its text. */
  readonly size?: number;
};

/** Characters of stored items together. */
export function sizeOf(items: readonly Item[]): number {
  return items.reduce((sum, { size = 0 }) => sum + size, 0);
}

export interface ItemEvent {
  readonly type: WatchEventType;
  readonly item: Item;
}

class TreeItem implements Item {
  readonly object: KubeObject;

  constructor(object: KubeObject) {
    this.object = object;
  }

  get passing(): KubeObject {
    return this.object;
  }

  get text(): string {
    return JSON.stringify(this.object);
  }
}

/** An item for an object that was created for this response. */
export function itemOf(object: KubeObject): Item {
  return new TreeItem(object);
}

const shared = new WeakMap<KubeObject, Item>();

/** The same item for the same object, so that watchers share its encoded forms. */
export function sharedItem(object: KubeObject): Item {
  let item = shared.get(object);
  if (item === undefined) shared.set(object, (item = new TreeItem(object)));
  return item;
}

/** A response before it is encoded or passed in process. */
export type Answer =
  | { readonly kind: "object"; readonly code: number; readonly object: JsonObject; readonly encoding: Encoding }
  /** An object with one more member, last, whose items are made when they are sent; `size` is about that of their text. */
  | {
      readonly kind: "collection";
      readonly head: JsonObject;
      readonly member: "items" | "rows";
      readonly items: Iterable<JsonObject>;
      readonly size: number;
      readonly encoding: Encoding;
    }
  /** Items are shared with the store; `bare` ones are written without `kind` and `apiVersion`. */
  | {
      readonly kind: "list";
      readonly head: { readonly kind: string; readonly apiVersion: string; readonly metadata: JsonObject };
      readonly items: readonly Item[];
      readonly bare: boolean;
      readonly encoding: Encoding;
    }
  /** The unchanged response of another server. */
  | { readonly kind: "proxied"; readonly response: ApiResponse }
  | { readonly kind: "watch"; readonly events: AsyncIterable<ItemEvent> }
  | {
      readonly kind: "text";
      readonly code: number;
      readonly contentType: string;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** JSON under another content type or with its own caching headers. */
  | {
      readonly kind: "document";
      readonly code: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly object?: JsonObject;
      /** Characters of a large object's JSON text: it is written in its turn. */
      readonly size?: number;
      /** Written in lines, without one at the end. */
      readonly indented?: true;
    };

export function answerObject(code: number, object: JsonObject, encoding: Encoding = "json"): Answer {
  return { kind: "object", code, object, encoding };
}

export const pageNotFound: Answer = {
  kind: "text",
  code: 404,
  contentType: "text/plain; charset=utf-8",
  text: "404 page not found\n",
  headers: { "x-content-type-options": "nosniff" },
};
