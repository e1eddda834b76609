import type { KubeObject } from "../apis/object.ts";
import type { ResourceType } from "../apis/resource-type.ts";
import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import { backoffMs } from "./controller/backoff.ts";
import type { KubeClient } from "./client.ts";
import type { ListScope } from "./object-reader.ts";
import { isRefused } from "./refusal.ts";

/** What a consumer needs to keep a copy of a resource type: pages until `listed`, then changes. */
export type FeedEvent<Type extends KubeObject = KubeObject> =
  | { readonly kind: "page"; readonly items: readonly Type[] }
  /** All pages since the last `listed`, `restarted` or `unserved` together are the whole state at this version. */
  | { readonly kind: "listed"; readonly resourceVersion: string }
  /** Pages since the last `listed` are void: the snapshot expired half-way. */
  | { readonly kind: "restarted" }
  | { readonly kind: "stored"; readonly object: Type }
  | { readonly kind: "removed"; readonly object: Type }
  /** Nothing relevant happened up to this version. */
  | { readonly kind: "progress"; readonly resourceVersion: string }
  /** The server does not know this type (now). It is asked again. */
  | { readonly kind: "unserved" }
  /** The connection or the server failed; it is tried again after `retryMs`. */
  | { readonly kind: "interrupted"; readonly error: unknown; readonly retryMs: number };

export interface ListAndWatchOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly metadataOnly?: boolean;
  /** Items per page. Default 500. */
  readonly pageSize?: number;
  /** Ends a wait between two tries early: called at the start of each wait, resolves when there is reason to hope. */
  readonly hope?: (signal: AbortSignal) => Promise<void>;
}

/** As client-go's reflector. */
const limits = { firstMs: 800, longestMs: 30_000 };
/** A watch that ends sooner and brought nothing counts as a failure, or a broken server would be asked in a tight loop. */
const shortWatchMs = 1000;

/**
 * Follows a resource type for ever: lists in pages, watches with bookmarks, resumes where a connection ended, lists
 * again when the server has forgotten that point (410), backs off while the server fails. Ends when `signal` aborts.
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
  /** How often in a row the server has forgotten where we were. */
  let forgotten = 0;
  /** A snapshot that expires before its last page would expire again: then ask for all in one piece. */
  let paged = true;

  while (!signal.aborted) {
    let problem: unknown;
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
      const timeoutSeconds = 300 + Math.floor(entropy.fraction() * 300);
      let events = 0;
      const watching = { resourceVersion, allowBookmarks: true, timeoutSeconds, metadataOnly };
      for await (const event of client.watch(type, scope, watching, signal)) {
        events++;
        failures = 0;
        forgotten = 0;
        const version: string | undefined = event.object.metadata.resourceVersion;
        if (version !== undefined) resourceVersion = version;
        if (event.type === "BOOKMARK") {
          if (version !== undefined) yield { kind: "progress", resourceVersion: version };
        } else yield { kind: event.type === "DELETED" ? "removed" : "stored", object: event.object as Type };
      }
      if (events > 0 || clock.monotonic() - since >= shortWatchMs) {
        failures = 0;
        continue;
      }
      problem = new Error("The watch ended at once");
    } catch (error) {
      if (signal.aborted) return;
      problem = error;
      if (isRefused(error, "gone")) {
        paged = resourceVersion !== undefined;
        resourceVersion = undefined;
        yield { kind: "restarted" };
        // The first relist goes out at once; only a server that keeps forgetting is given time.
        if (forgotten++ === 0) continue;
      } else if (isRefused(error, "notFound")) {
        resourceVersion = undefined;
        yield { kind: "unserved" };
      } else if (resourceVersion === undefined) {
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

/** Sleeps, or wakes early when hope comes; returns quietly when `signal` aborts. */
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
    // aborted: the caller looks at its signal
  } finally {
    signal.removeEventListener("abort", abort);
    waiting.abort();
    await Promise.allSettled(ways);
  }
}
