import {
  type BundleRequest,
  bundleKey,
  type ContentState as State,
  sourceKey,
  sourceOfImage,
} from "../catalog/content.ts";
import type { ContentKey, ContentState } from "../catalog/content-state.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import type { Digest } from "@purser/kubernetes/digest";
import type { BundleObjects, OpenContent } from "./content.ts";
import type { ContentStore } from "./content-store.ts";
import { type ContentOptions, createContent } from "./create-content.ts";
import type { Readings } from "./parsed-bundles.ts";

export { indexFolder } from "./catalog-reader.ts";
export { localCatalogReference } from "../catalog/content.ts";

export type FolderContentOptions = ContentOptions;

export interface FolderContent extends ContentStore, OpenContent {
  index(digest: Digest): StoredIndex | undefined;
}

/** The port with the methods that its readers had before it. */
export function createContentStore(options: FolderContentOptions): FolderContent {
  const content = createContent(options);
  const indexes = new Map<Digest, StoredIndex>();
  const objects = new Map<Digest, BundleObjects>();
  const known = new Map<string, ContentKey>();
  const asBefore = (state: State): ContentState => {
    switch (state.kind) {
      case "pending":
        return { kind: "pulling", since: state.since };
      case "ready":
        return { kind: "present", digest: state.digest };
      case "failing":
      case "refused": {
        const { cause, remedy, lastGood } = state;
        return { kind: "failed", cause, remedy, ...(lastGood === undefined ? {} : { lastGood }) };
      }
    }
  };
  const requestOf = (key: ContentKey & { readonly kind: "bundle" }): BundleRequest => ({
    reference: key.reference,
    packageName: key.packageName,
    version: key.version,
    credentials: [],
    policy: [],
  });
  const catalogOf = (reference: string) =>
    content.catalog({ source: sourceOfImage(reference), credentials: [], policy: [] });
  return {
    catalog: (request) => content.catalog(request),
    bundle: (request) => content.bundle(request),
    notices: (signal) => content.notices(signal),
    stop: () => content.stop(),
    need(key) {
      if (key.kind === "catalog") {
        known.set(`catalog ${sourceKey(sourceOfImage(key.reference))}`, key);
        const { state, index } = catalogOf(key.reference);
        if (index !== undefined) indexes.set(index.digest, index);
        return asBefore(state);
      }
      known.set(`bundle ${bundleKey(requestOf(key))}`, key);
      const bundle = content.bundle(requestOf(key));
      if (bundle.objects !== undefined && bundle.state.kind === "ready")
        objects.set(bundle.state.digest, bundle.objects);
      return asBefore(bundle.state);
    },
    async *changes(signal) {
      for await (const { kind, key } of content.notices(signal)) {
        const found = known.get(`${kind} ${key}`);
        if (found !== undefined) yield found;
      }
    },
    read<Reading extends keyof Readings>(reading: Reading, digest: Digest): Promise<Readings[Reading]> {
      const held = objects.get(digest);
      if (held === undefined) throw new Error(`no bundle with digest ${digest} was found in any bundle folder`);
      return held[reading]() as Promise<Readings[Reading]>;
    },
    index: (digest) => indexes.get(digest),
  };
}
