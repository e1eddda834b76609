import type { BundleRequest, CatalogRequest, ContentNotice, ContentState } from "../catalog/content.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import type { Readings } from "./parsed-bundles.ts";

/**
 * The one port through which catalogs and bundles come, wherever they lie. Nobody waits for content: one asks for its
 * state and is woken by a notice. Every answer is immediate, from memory; reading happens in other threads and processes.
 */
export interface Content {
  /**
   * Says that a catalog is wanted, starts reading it when nobody asked before, and returns where it stands. Requests
   * that differ in credentials or policy are fulfilled one by one: content that one may read is no answer to another.
   */
  catalog(request: CatalogRequest): CatalogContent;
  /** Says that a bundle is wanted, starts getting it when nobody asked before, and returns where it stands. */
  bundle(request: BundleRequest): BundleContent;
  /** One notice for each change of a state, from now on until the signal aborts. A slow listener gets the same notice once. */
  notices(signal: AbortSignal): AsyncIterable<ContentNotice>;
}

/** The port with its end, for whoever opened it. */
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
}

export interface BundleContent {
  readonly state: ContentState;
  /** Present when there is content: that of `ready`, or the last good one. */
  readonly objects: BundleObjects | undefined;
}

/**
 * A bundle as objects. Each reading is made once per digest by another thread, for all who ask, and kept for a while; the
 * same trees are given to everybody. A bundle that cannot be read (broken, larger than the memory of the thread, changed
 * meanwhile) is a problem in the result; neither promise rejects unless the content was stopped.
 */
export interface BundleObjects {
  /** As OLM v0 unpacks it. */
  unpacked(): Promise<Readings["unpacked"]>;
  /** As OLM v1 reads it. */
  registry(): Promise<Readings["registry"]>;
}
