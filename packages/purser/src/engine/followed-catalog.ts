import type { CatalogRequest } from "../catalog/content.ts";
import { openIndex, type StoredIndex } from "../catalog-store/open.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { CatalogContent } from "../content/content.ts";
import type { ImageAccess } from "../content/catalog-image.ts";
import { createContent } from "../content/create-content.ts";
import { isLocalReference } from "../image/layout/local-reference.ts";

/** A catalog image that is followed. */
export interface FollowedImage extends Pick<CatalogRequest, "poll"> {
  /** Of a registry, which is looked at by `poll`, or an image on this machine, which is looked at all the time. */
  readonly reference: string;
  readonly access: ImageAccess;
}

export interface FollowedCatalogOptions {
  readonly name: string;
  /** A directory or file, or an image. */
  readonly from: { readonly path: string } | FollowedImage;
  readonly cacheDirectory: string;
  readonly clock: Clock;
  /** Why valid content must not be used; undefined when it can be used. */
  readonly refusal: (index: StoredIndex) => string | undefined;
}

/** A change of the catalog: new content is current, or it was refused and the previous content stays current. */
export type CatalogNews =
  | { readonly kind: "current"; readonly index: StoredIndex; readonly sinceMs: number }
  | { readonly kind: "refused"; readonly cause: string; readonly remedy?: string; readonly hasFormer: boolean };

export interface FollowedCatalog {
  /** The content to answer from, and since when it is current. */
  current(): { readonly index: StoredIndex; readonly sinceMs: number } | undefined;
  /** Yields changes until the signal aborts; the first one when the catalog has been read for the first time. */
  news(signal: AbortSignal): AsyncGenerator<CatalogNews, void, void>;
  stop(): Promise<void>;
}

/** Follows one catalog: rebuilds its index on each change. Neither invalid content nor a failure replaces valid content. */
export function followCatalog(options: FollowedCatalogOptions): FollowedCatalog {
  const { name, from, cacheDirectory, clock, refusal } = options;
  const path = "path" in from ? from.path : isLocalReference(from.reference) ? from.reference : undefined;
  const content = createContent({
    catalogs: path === undefined ? [] : [{ namespace: "", name, path }],
    bundleDirectories: [],
    cacheDir: cacheDirectory,
    clock,
    refusesFaultyPackages: true,
    ...("path" in from ? {} : { imageAccess: from.access }),
  });
  const request = requestFor(path === undefined ? undefined : name, from);
  let current: { readonly index: StoredIndex; readonly sinceMs: number } | undefined;
  /** The previous content stays open until the next change, for reads that are still running. */
  let former: StoredIndex | undefined;

  function take({ state, index: held }: CatalogContent): CatalogNews | undefined {
    const refused = (cause: string, remedy?: string): CatalogNews => ({
      kind: "refused",
      cause,
      ...(remedy === undefined ? {} : { remedy }),
      hasFormer: current !== undefined,
    });
    switch (state.kind) {
      case "pending":
        return undefined;
      case "failing":
      case "refused":
        return refused(state.cause, state.remedy);
      case "ready": {
        if (current?.index.digest === state.digest) return { kind: "current", ...current };
        // Opened a second time, because `Content` closes every index but its newest, and ours may be older.
        const opened = held === undefined ? undefined : openIndex(held.file);
        if (opened?.ok !== true) return refused(opened?.problem.message ?? "its index vanished");
        const cause = refusal(opened.value);
        if (cause !== undefined) {
          opened.value.close();
          return refused(cause);
        }
        former?.close();
        former = current?.index;
        current = { index: opened.value, sinceMs: clock.now() };
        return { kind: "current", ...current };
      }
    }
  }

  return {
    current: () => current,
    async *news(signal) {
      const changes = content.notices(signal)[Symbol.asyncIterator]();
      // Subscribes before the first read, so that no change is missed between the two.
      let next = changes.next();
      const first = take(content.catalog(request));
      if (first !== undefined) yield first;
      for (;;) {
        const notice = await next;
        if (notice.done === true) return;
        next = changes.next();
        if (notice.value.onlyTimes === true) continue;
        const changed = take(content.catalog(request));
        if (changed !== undefined) yield changed;
      }
    },
    async stop() {
      await content.stop();
      former?.close();
      current?.index.close();
    },
  };
}

/** @param registered the name of a catalog on this machine */
function requestFor(registered: string | undefined, from: FollowedCatalogOptions["from"]): CatalogRequest {
  const request = { credentials: [], policy: [] };
  if (registered !== undefined || "path" in from)
    return { ...request, source: { kind: "directory", name: registered ?? "" } };
  const { reference, poll } = from;
  return { ...request, source: { kind: "image", reference }, ...(poll === undefined ? {} : { poll }) };
}
