import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import { bundleKey, type BundleRequest } from "../../catalog/content.ts";
import { createContent } from "../../content/create-content.ts";
import type { ImageAccess } from "../../content/catalog-image.ts";
import type { BundleContent, BundleObjects, Content } from "../../content/content.ts";
import { bundleContent } from "../../controllers/v0/namespace/observe-namespace.ts";
import type { KnownContent, WantedContent } from "../../resolver/v0/install-plan/known-content.ts";
import { failureText } from "../../catalog/failure-text.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";

/** Reads the bundles that a plan needs, from bundle directories or from their images. */
export interface SnapshotBundles {
  /** Resolves when the content is known: present, or why it is not. */
  contentOf(wanted: WantedContent, source: CatalogSource | undefined): Promise<KnownContent>;
  /** The bundle as objects with the digest of its files; the problem is a sentence. */
  read(request: BundleRequest): Promise<Result<ReadBundle, string>>;
  /** The bundle, read to the end: ready, failing or refused. */
  known(request: BundleRequest): Promise<BundleContent>;
  /** Compressed bytes of images, of those whose registry answers in a few seconds; absent where registries are not to be asked. */
  readonly imageSizes?: (references: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

export interface ReadBundle {
  readonly digest: Digest;
  readonly objects: BundleObjects;
}

export interface SnapshotBundlesOptions {
  /** Of bundle directories `<package>/<version>`; the first that has one wins. */
  readonly directories: readonly string[];
  readonly cacheDirectory: string;
  readonly clock: Clock;
  /** How images of bundles that no directory has are pulled; absent: none is pulled. */
  readonly imageAccess?: ImageAccess;
}

export function openBundles({
  directories,
  cacheDirectory,
  clock,
  imageAccess,
}: SnapshotBundlesOptions): SnapshotBundles {
  const access = imageAccess === undefined ? {} : { imageAccess };
  const content = createContent({
    catalogs: [],
    bundleDirectories: directories,
    cacheDir: cacheDirectory,
    clock,
    ...access,
  });
  const known = async (request: BundleRequest): Promise<BundleContent> => {
    await settled(content, request);
    return withoutNextTry(content.bundle(request));
  };
  return {
    async contentOf(wanted, source) {
      let request: BundleRequest | undefined;
      const ask = (asked: BundleRequest): BundleContent => {
        request = asked;
        return withoutNextTry(content.bundle(asked));
      };
      const known = await bundleContent(wanted, source, ask);
      if (known.kind !== "pending" || request === undefined) return known;
      await settled(content, request);
      return bundleContent(wanted, source, ask);
    },
    known,
    async read(request) {
      const { state, objects } = await known(request);
      if (state.kind === "failing" || state.kind === "refused") return failed(failureText(state));
      if (state.kind !== "ready" || objects === undefined) return failed("its content is not read");
      return done({ digest: state.digest, objects });
    },
    close: () => content.stop(),
  };
}

/** A decision is made once: the content is stopped before its next try. */
function withoutNextTry({ state, objects }: BundleContent): BundleContent {
  if (state.kind !== "failing") return { state, objects };
  const { retryAt: _retryAt, ...failing } = state;
  return { state: failing, objects };
}

/** Waits until the first reading of the bundle ended. */
async function settled(content: Content, request: BundleRequest): Promise<void> {
  const listening = new AbortController();
  const notices = content.notices(listening.signal);
  try {
    if (content.bundle(request).state.kind !== "pending") return;
    for await (const { kind, key } of notices)
      if (kind === "bundle" && key === bundleKey(request) && content.bundle(request).state.kind !== "pending") return;
  } finally {
    listening.abort();
  }
}
