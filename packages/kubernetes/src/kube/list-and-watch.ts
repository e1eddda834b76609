import type { KubeObject } from "../apis/object.ts";
import { groupResource, type ResourceType } from "../apis/resource-type.ts";
import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import { backoffMs } from "./controller/backoff.ts";
import type { KubeClient } from "./client.ts";
import type { ListScope } from "./object-reader.ts";
import { isRefused } from "./refusal.ts";

/** Events for a consumer that mirrors a resource type: pages until `listed`, then changes. */
export type FeedEvent<Type extends KubeObject = KubeObject> =
  | { readonly kind: "page"; readonly items: readonly Type[] }
  /** The pages since the last `listed`, `restarted` or `unserved` are the complete state at this version. */
  | { readonly kind: "listed"; readonly resourceVersion: string }
  /** The pages since the last `listed` are invalid: the snapshot expired. */
  | { readonly kind: "restarted" }
  | { readonly kind: "stored"; readonly object: Type }
  | { readonly kind: "removed"; readonly object: Type }
  /** No relevant change up to this version. */
  | { readonly kind: "progress"; readonly resourceVersion: string }
  /** The server does not serve this type; it is requested again later. */
  | { readonly kind: "unserved" }
  /** The connection or the server failed; retried after `retryMs`. */
  | { readonly kind: "interrupted"; readonly error: unknown; readonly retryMs: number };

export interface ListAndWatchOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly metadataOnly?: boolean;
  /** Items per page. Default 500. */
  readonly pageSize?: number;
  /** Shortens a retry delay: called at the start of each delay; the retry happens when it resolves. */
  readonly hope?: (signal: AbortSignal) => Promise<void>;
}

/** As in client-go's reflector. */
const limits = { firstMs: 800, longestMs: 30_000 };
/**
 * A watch that ends earlier without events counts as a failure, so that a broken server is not queried in a tight loop.
 */
const shortWatchMs = 1000;
/** Two bookmarks of kube-apiserver, which sends one every minute for the types in its watch cache. */
const twoBookmarksMs = 120_000;
/** It never caches these. */
const uncached: readonly string[] = ["events", "events.events.k8s.io"];
/** How much longer than a watch may last a server that sends no bookmarks is waited for. */
const graceMs = 30_000;

/**
 * Follows a resource type until `signal` aborts: lists in pages, watches with bookmarks, resumes after a lost
 * connection, relists when the version has expired (410) or the watch is forbidden (403), backs off while the server fails.
 */
export async function* listAndWatch<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  scope: ListScope,
  options: ListAndWatchOptions,
  signal: AbortSignal,
): AsyncGenerator<FeedEvent<Type>, void, undefined> {
  const { clock, entropy, metadataOnly = false, pageSize = 500, hope } = options;
  let resourceVersion: string | undefined;
  let failures = 0;
  /** Number of consecutive 410 responses. */
  let forgotten = 0;
  /** Relists without pages after a snapshot expired before its last page, because it would expire again. */
  let paged = true;
  /** The server sends no bookmarks for this type, so that a watch without changes is silent until its end. */
  let isSilent = uncached.includes(groupResource(type));

  while (!signal.aborted) {
    let problem: unknown;
    let watched: { lastAt: number; events: number; hasBookmarks: boolean } | undefined;
    try {
      if (resourceVersion === undefined) {
        let continueToken: string | undefined;
        do {
          const paging = paged ? { limit: pageSize, ...(continueToken === undefined ? {} : { continueToken }) } : {};
          const page = await client.page(type, scope, { metadataOnly, ...paging }, signal);
          yield { kind: "page", items: page.items };
          continueToken = page.continueToken;
          if (continueToken === undefined) {
            resourceVersion = page.resourceVersion;
            yield { kind: "listed", resourceVersion };
          }
        } while (continueToken !== undefined);
        paged = true;
      }
      if (resourceVersion === undefined) continue;
      const since = clock.monotonic();
      const current = { lastAt: since, events: 0, hasBookmarks: false };
      watched = current;
      const timeoutSeconds = 300 + Math.floor(entropy.fraction() * 300);
      const patience = isSilent ? { idleTimeoutMs: timeoutSeconds * 1000 + graceMs } : {};
      const watching = { resourceVersion, allowBookmarks: true, timeoutSeconds, metadataOnly, ...patience };
      for await (const event of client.watch(type, scope, watching, signal)) {
        current.events++;
        current.lastAt = clock.monotonic();
        failures = 0;
        forgotten = 0;
        const version: string | undefined = event.object.metadata.resourceVersion;
        if (version !== undefined) resourceVersion = version;
        if (event.type === "BOOKMARK") {
          isSilent = false;
          current.hasBookmarks = true;
          if (version !== undefined) yield { kind: "progress", resourceVersion: version };
        } else yield { kind: event.type === "DELETED" ? "removed" : "stored", object: event.object as Type };
      }
      if (current.events > 0 || clock.monotonic() - since >= shortWatchMs) {
        failures = 0;
        continue;
      }
      problem = new Error("The watch ended at once");
    } catch (error) {
      if (signal.aborted) return;
      problem = error;
      if (!isSilent && watched?.hasBookmarks === false && clock.monotonic() - watched.lastAt >= twoBookmarksMs) {
        isSilent = true;
        continue;
      }
      if (isRefused(error, "gone")) {
        paged = resourceVersion !== undefined;
        resourceVersion = undefined;
        yield { kind: "restarted" };
        // The first relist is immediate; repeated expiry backs off.
        if (forgotten++ === 0) continue;
      } else if (isRefused(error, "notFound")) {
        resourceVersion = undefined;
        yield { kind: "unserved" };
      } else if (resourceVersion === undefined || isRefused(error, "forbidden")) {
        // Who may list and not watch gets changes by lists, as often as the watch is tried again.
        resourceVersion = undefined;
        yield { kind: "restarted" };
      }
    }
    if (signal.aborted) return;
    failures++;
    const retryMs = backoffMs(limits, failures, entropy);
    if (!isRefused(problem, "notFound")) yield { kind: "interrupted", error: problem, retryMs };
    await pause(clock, retryMs, hope, signal);
  }
}

/** Sleeps until the delay or `hope` ends; also returns when `signal` aborts. */
async function pause(
  clock: Clock,
  durationMs: number,
  hope: ((signal: AbortSignal) => Promise<void>) | undefined,
  signal: AbortSignal,
): Promise<void> {
  const waiting = new AbortController();
  const abort = (): void => waiting.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const ways = [clock.sleep(durationMs, waiting.signal)];
  if (hope !== undefined) ways.push(hope(waiting.signal));
  try {
    await Promise.race(ways);
  } catch {
    // aborted: the caller checks its signal
  } finally {
    signal.removeEventListener("abort", abort);
    waiting.abort();
    await Promise.allSettled(ways);
  }
}
