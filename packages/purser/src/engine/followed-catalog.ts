import type { CatalogRequest } from "../catalog/content.ts";
import { openIndex, type StoredIndex } from "../catalog-store/open.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { CatalogContent } from "../content/content.ts";
import { createContent } from "../content/create-content.ts";

export interface FollowedCatalogOptions {
  readonly name: string;
  /** Folder or file. */
  readonly path: string;
  readonly cacheFolder: string;
  readonly clock: Clock;
  /** Why content that is valid shall not be used; undefined when it may. */
  readonly refusal: (index: StoredIndex) => string | undefined;
}

/** What became of the catalog: new content is current, or a change cannot be used and the former content stays. */
export type CatalogNews =
  | { readonly kind: "current"; readonly index: StoredIndex; readonly sinceMs: number }
  | { readonly kind: "refused"; readonly cause: string; readonly remedy?: string; readonly hasFormer: boolean };

export interface FollowedCatalog {
  /** The content to answer from, and when it came to be. */
  current(): { readonly index: StoredIndex; readonly sinceMs: number } | undefined;
  /** News until the signal aborts; the first comes when the catalog was read for the first time. */
  news(signal: AbortSignal): AsyncGenerator<CatalogNews, void, void>;
  stop(): Promise<void>;
}

/** Follows one catalog on disk: its index is built when it changes, and what cannot be used never replaces what can. */
export function followCatalog(options: FollowedCatalogOptions): FollowedCatalog {
  const { name, path, cacheFolder, clock, refusal } = options;
  const content = createContent({
    catalogs: [{ namespace: "", name, path }],
    bundleFolders: [],
    cacheDir: cacheFolder,
    clock,
  });
  const request: CatalogRequest = { source: { kind: "folder", name }, credentials: [], policy: [] };
  let current: { readonly index: StoredIndex; readonly sinceMs: number } | undefined;
  /** Whoever still reads the content before this one may end. */
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
        // Opened once more: the content store closes what is no longer the newest, and that may be what we keep.
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
      // Asked before the first look, so that no change falls between the two.
      let next = changes.next();
      const first = take(content.catalog(request));
      if (first !== undefined) yield first;
      while ((await next).done !== true) {
        next = changes.next();
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
