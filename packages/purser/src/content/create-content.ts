import type { Digest } from "@purser/kubernetes/digest";
import { done, failed } from "@purser/kubernetes/result";
import type { Tracing } from "@purser/kubernetes/tracing";
import {
  bundleKey,
  type BundleRequest,
  type CatalogRequest,
  type ContentNotice,
  isLocalStandIn,
  localCatalogReference,
  type Poll,
  sourceKey,
} from "../catalog/content.ts";
import { collectIndexes } from "../catalog-store/collect.ts";
import { indexDirectory } from "../catalog-store/format.ts";
import { contentDigest } from "../image/content-digest.ts";
import { bundleImage } from "./bundle/bundle-image.ts";
import { bundleInDirectories, type BundlePlace, timed } from "./bundle/bundle-in-directories.ts";
import { catalogReader, type CatalogReaderOptions } from "./catalog-reader.ts";
import { Changes } from "./changes.ts";
import type { BundleContent, BundleObjects, CatalogContent, OpenContent } from "./content.ts";
import { FollowedContent } from "./followed-content.ts";
import type { FoundCatalog } from "./found-catalog.ts";
import { Holders } from "./holders.ts";
import { ImageIndexes } from "./image-indexes.ts";
import { openKeptIndex } from "./kept-index.ts";
import { BundleUses } from "./bundle/bundle-uses.ts";
import { ParsedBundles } from "./bundle/parsed-bundles.ts";
import type { SourceReader } from "./source-reader.ts";

export interface ContentOptions extends CatalogReaderOptions {
  /** Directories of bundle directories, `<package>/<version>/{manifests,metadata}`; the first that has one wins. */
  readonly bundleDirectories: readonly string[];
  /** Makes a span of each change of a catalog; absent: none. */
  readonly tracing?: Tracing;
}

/** A change shows after at most this long plus the time to settle and to build, within the promised 5 seconds. */
const roundMs = 2000;
/** How long content is still read after its last object went. */
const giveUpAfterMs = 60 * 1000;
/** How often the indexes in use are marked and unused ones looked for, beside every change of what is in use. */
const collectEveryMs = 60 * 60 * 1000;

/** Opens the content of this process. Starts reading the registered catalogs at once; stop it to end. */
export function createContent(options: ContentOptions): OpenContent {
  return new ContentOfThisProcess(options);
}

class ContentOfThisProcess implements OpenContent {
  readonly #options: ContentOptions;
  readonly #notices = new Changes<ContentNotice>();
  readonly #catalogs = new Map<string, FollowedContent<FoundCatalog>>();
  readonly #bundles = new Map<string, FollowedContent<BundlePlace>>();
  readonly #parsed: ParsedBundles;
  readonly #imageIndexes: ImageIndexes;
  /** Intervals of the newest requests, by identity. */
  readonly #polls = new Map<string, Poll | undefined>();
  /** The latest time at which a refresh of each catalog was asked for. */
  readonly #refreshes = new Map<string, string>();
  readonly #holders = new Holders();
  readonly #bundleUses = new BundleUses();
  /** Sources and digests whose last good content was searched already, so that each is searched only once. */
  readonly #soughtLastGood = new Set<string>();
  #collected = { key: "", at: 0 };
  #imagesCollectedAt: number;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: ContentOptions) {
    this.#options = options;
    // Requests of what is in use come only after the start.
    this.#imagesCollectedAt = options.clock.now();
    this.#parsed = new ParsedBundles({ cacheDir: options.cacheDir });
    this.#imageIndexes = new ImageIndexes(this.#indexes(), options.builder);
    for (const { name } of options.catalogs)
      this.catalog({ source: { kind: "directory", name }, credentials: [], policy: [] });
    this.#run(this.#rounds());
  }

  catalog(request: CatalogRequest, holder?: string): CatalogContent {
    const id = identityOf(request);
    const now = this.#options.clock.now();
    if (holder === undefined) this.#holders.asked(id, now);
    else this.#holders.hold(holder, id, now);
    const followed = this.#follow(request, id);
    if (followed.content === undefined) this.#adopt(followed, id, request);
    const { source } = request;
    if (source.kind === "directory" && source.digest !== undefined) return pinned(source.name, source.digest, followed);
    const { state, content, polledAt } = followed;
    return { state, index: content?.index, ...(polledAt === undefined ? {} : { polledAt }) };
  }

  release(holder: string): void {
    this.#holders.release(holder, this.#options.clock.now());
    this.#bundleUses.release(holder);
  }

  bundle(request: BundleRequest, holder?: string): BundleContent {
    const id = JSON.stringify([bundleKey(request), request.credentials, request.policy]);
    this.#bundleUses.asked(id, holder, this.#options.clock.now());
    let followed = this.#bundles.get(id);
    if (followed === undefined) {
      followed = new FollowedContent<BundlePlace>({
        reader: done(this.#bundleReader(request)),
        clock: this.#options.clock,
        digestOf: ({ digest }) => digest,
        acceptanceOf: ({ accepted }) => accepted,
        // The old files of a directory that became another bundle are lost.
        keepsLastGood: false,
        onChange: (what) => this.#announce({ kind: "bundle", key: bundleKey(request) }, what),
      });
      this.#bundles.set(id, followed);
      this.#run(followed.look(this.#stopping.signal));
    }
    const { state, content } = followed;
    return { state, objects: content === undefined ? undefined : this.#objectsOf(content) };
  }

  notices(signal: AbortSignal): AsyncIterable<ContentNotice> {
    return this.#notices.listen(AbortSignal.any([signal, this.#stopping.signal]));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the content was stopped"));
    this.#parsed.stop();
    await Promise.allSettled(this.#running);
    for (const catalog of this.#catalogs.values()) catalog.close();
  }

  #bundleReader(request: BundleRequest): SourceReader<BundlePlace> {
    const { bundleDirectories, imageAccess, clock } = this.#options;
    const image =
      imageAccess === undefined || request.reference === "" || isLocalStandIn(request.reference)
        ? undefined
        : bundleImage(request, { ...imageAccess, clock }, this.#parsed);
    if (image !== undefined && bundleDirectories.length === 0) return image;
    const otherwise = image === undefined ? undefined : timed(image, clock);
    return bundleInDirectories(request, bundleDirectories, this.#parsed, otherwise);
  }

  #follow(request: CatalogRequest, id: string): FollowedContent<FoundCatalog> {
    const known = this.#catalogs.get(id);
    const pollBefore = this.#polls.get(id)?.everyMs;
    this.#polls.set(id, request.poll);
    const { refresh = "" } = request;
    const isNewer = refresh > (this.#refreshes.get(id) ?? "");
    if (isNewer) this.#refreshes.set(id, refresh);
    if (known !== undefined) {
      if (isNewer) known.hasten(0);
      if (request.poll !== undefined && request.poll.everyMs !== pollBefore) known.hasten(request.poll.everyMs);
      return known;
    }
    const followed = new FollowedContent<FoundCatalog>({
      reader: catalogReader(request, { ...this.#options, imageIndexes: this.#imageIndexes }, () => this.#polls.get(id)),
      clock: this.#options.clock,
      digestOf: ({ digest }) => digest,
      acceptanceOf: ({ accepted }) => accepted,
      release: ({ index }) => index.close(),
      keepsLastGood: true,
      onChange: (what) => this.#announce(this.#catalogNotice(request, followed, what), what),
    });
    this.#catalogs.set(id, followed);
    this.#run(followed.look(this.#stopping.signal));
    return followed;
  }

  #adopt(followed: FollowedContent<FoundCatalog>, id: string, request: CatalogRequest): void {
    const { source, lastGood: digest, isUnchecked } = request;
    if (digest === undefined) return;
    const sought = `${id} ${digest}`;
    if (this.#soughtLastGood.has(sought)) return;
    this.#soughtLastGood.add(sought);
    const content = contentDigest(digest, source.kind === "image" ? source.directory : undefined);
    const kept = openKeptIndex(this.#indexes(), content, isUnchecked === true);
    if (kept !== undefined) followed.adopt({ digest, index: kept, image: content });
  }

  #objectsOf({ digest, directory }: BundlePlace): BundleObjects {
    const read = async <Answer>(answer: Promise<Answer>, otherwise: (message: string) => Answer): Promise<Answer> => {
      try {
        return await answer;
      } catch (error) {
        this.#stopping.signal.throwIfAborted();
        return otherwise(error instanceof Error ? error.message : String(error));
      }
    };
    return {
      unpacked: () =>
        read(this.#parsed.read("unpacked", digest, directory), (message) => failed({ stage: "extract", message })),
      registry: () =>
        read(this.#parsed.read("registry", digest, directory), (message) => failed([{ kind: "unreadable", message }])),
    };
  }

  /** With the span of the change: it lasts as long as the source was read. */
  #catalogNotice(
    { source }: CatalogRequest,
    { state, lookingSince }: FollowedContent<FoundCatalog>,
    what: "state" | "times",
  ): ContentNotice {
    const key = sourceKey(source);
    const notice: ContentNotice = { kind: "catalog", key };
    const { tracing } = this.#options;
    if (tracing === undefined || what === "times" || state.kind === "pending") return notice;
    const span = tracing.begin({
      name: `catalog ${key}`,
      attributes: { "purser.catalog": key, "purser.state": state.kind },
      ...(lookingSince === undefined ? {} : { startedAt: lookingSince }),
    });
    if (state.kind === "ready") span.end({ "purser.catalog.digest": state.digest });
    else span.end({}, state.cause);
    return { ...notice, cause: span.reference };
  }

  #announce(notice: ContentNotice, what: "state" | "times"): void {
    this.#notices.announce(what === "state" ? notice : { ...notice, onlyTimes: true });
  }

  #indexes(): string {
    return indexDirectory(this.#options.cacheDir);
  }

  #run(work: Promise<void>): void {
    const guarded = work
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) throw error;
      })
      .finally(() => this.#running.delete(guarded));
    this.#running.add(guarded);
  }

  /** Sources are polled independently: a slow one does not delay the others. */
  async #rounds(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      const catalogs = [...this.#catalogs.values()];
      const bundles = [...this.#bundles.values()];
      if (!bundles.some((bundle) => bundle.isLooking)) this.#parsed.rest();
      // The index of a source that is being read may not be referenced yet: nothing is collected meanwhile.
      if (!catalogs.some((catalog) => catalog.isLooking)) this.#collect();
      this.#collectImages();
      this.#giveUp();
      for (const followed of [...catalogs, ...bundles]) this.#run(followed.look(signal));
      await this.#options.clock.sleep(roundMs, signal);
    }
  }

  #collect(): void {
    const held = [...this.#catalogs.values()].flatMap((catalog) => catalog.held.map(({ index }) => index.digest));
    const now = this.#options.clock.now();
    const key = held.join();
    if (held.length === 0 || (key === this.#collected.key && now - this.#collected.at < collectEveryMs)) return;
    this.#collected = { key, at: now };
    collectIndexes(this.#indexes(), new Set(held), now);
  }

  /** Ends what is read for objects that do not exist any more; passes that still use it have ended by then. */
  #giveUp(): void {
    for (const id of this.#holders.givenUp(this.#options.clock.now(), giveUpAfterMs)) {
      this.#catalogs.get(id)?.close();
      this.#catalogs.delete(id);
      this.#polls.delete(id);
      this.#refreshes.delete(id);
      for (const sought of this.#soughtLastGood) if (sought.startsWith(`${id} `)) this.#soughtLastGood.delete(sought);
    }
  }

  /** Gives up bundles that no request uses any more, and deletes unpacked images of no use. */
  #collectImages(): void {
    const { imageAccess, clock } = this.#options;
    const now = clock.now();
    if (now - this.#imagesCollectedAt < collectEveryMs) return;
    this.#imagesCollectedAt = now;
    for (const id of this.#bundleUses.givenUp(now)) {
      this.#bundles.get(id)?.close();
      this.#bundles.delete(id);
    }
    if (imageAccess === undefined) return;
    // Readers of former content use its index alone.
    const catalogs = [...this.#catalogs.values()].flatMap(({ content }) => content?.image ?? []);
    const bundles = [...this.#bundles.values()].flatMap(({ held }) => held.flatMap(({ image }) => image ?? []));
    // What cannot be deleted now is tried again an hour later.
    this.#run(imageAccess.images.collect(new Set([...catalogs, ...bundles])).catch(() => undefined));
  }
}

/** Requests with the same identity share what is read for them. */
function identityOf({ source, isUnchecked, credentials, policy }: CatalogRequest): string {
  // A registered directory needs no credentials: the command line makes it readable for every request.
  return source.kind === "directory"
    ? sourceKey(source)
    : JSON.stringify([sourceKey(source), isUnchecked === true, credentials, policy]);
}

/** The content of a directory with this digest, while it is held; never other content. */
function pinned(name: string, digest: Digest, followed: FollowedContent<FoundCatalog>): CatalogContent {
  const found = followed.held.find((held) => held.digest === digest);
  if (found !== undefined) return { state: { kind: "ready", digest }, index: found.index };
  const { state, content } = followed;
  if (state.kind === "pending") return { state: { kind: "pending", since: state.since }, index: undefined };
  if (content === undefined) return { state, index: undefined };
  const cause = `catalog ${name} holds ${content.digest}, not ${digest}`;
  return {
    state: { kind: "refused", cause, remedy: `Name ${localCatalogReference(name)} to follow the directory.` },
    index: undefined,
  };
}
