import type { BundleRequest, CatalogRequest, ContentNotice, ContentState } from "../catalog/content.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import type { Readings } from "./bundle/bundle-question.ts";

/**
 * The only port to the content of catalogs and bundles, wherever it comes from. Callers never wait for content: they ask
 * for its state and get a notice when it changes. Every answer is immediate, from memory; reading happens in other threads and processes.
 */
export interface Content {
  /**
   * Requests a catalog, starts reading it at the first request, and returns its state. Requests that differ in
   * credentials or policy are read separately: what one of them may read, another may not.
   * @param holder the object that the request is for, if its content is to be given up when `release` names the object or
   *   when it asks for other content
   */
  catalog(request: CatalogRequest, holder?: string): CatalogContent;
  /** The object does not exist any more: catalogs and bundles that no other object holds are given up. */
  release(holder: string): void;
  /**
   * Requests a bundle, starts fetching it at the first request, and returns its state.
   * @param holder the object that the request is for: the bundle stays until `release` names the object, or the object has
   *   asked for other bundles alone for an hour. Without one it stays for an hour
   */
  bundle(request: BundleRequest, holder?: string): BundleContent;
  /** One notice for each change of a state, from now on until the signal aborts. A slow listener gets the same notice once. */
  notices(signal: AbortSignal): AsyncIterable<ContentNotice>;
}

/** The port together with the means to stop it, for the code that opened it. */
export interface OpenContent extends Content {
  /** Ends all reading; indexes and objects handed out before may not be used any more. */
  stop(): Promise<void>;
}

export interface CatalogContent {
  readonly state: ContentState;
  /**
   * The content of `ready`, or the last good one of any other state; undefined where there is neither. Stays open for as
   * long as it is the newest or the one before; use it within one pass and ask again in the next.
   */
  readonly index: StoredIndex | undefined;
  /** Epoch milliseconds of the last poll; absent before the first one. */
  readonly polledAt?: number;
}

export interface BundleContent {
  readonly state: ContentState;
  /** Present when there is content: that of `ready`, or the last good one. */
  readonly objects: BundleObjects | undefined;
}

/**
 * A bundle as objects. Each reading is made once per digest by another thread, shared by all callers, and cached for a
 * while; all callers get the same trees. A bundle that cannot be read (broken, larger than the memory of the thread, changed
 * meanwhile) is a problem in the result; neither promise rejects unless the content was stopped.
 */
export interface BundleObjects {
  /** As OLM v0 unpacks it. */
  unpacked(): Promise<Readings["unpacked"]>;
  /** As OLM v1 reads it. */
  registry(): Promise<Readings["registry"]>;
}
