import { join } from "node:path";
import type { ImageAcceptance } from "../catalog/image-acceptance.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { contentDigest } from "./content-digest.ts";
import type { ImageProblem } from "./image-problem.ts";
import type { ImageSource } from "./image-source.ts";
import type { Images, PullOptions, PullRequest } from "./images.ts";
import { defaultUnpackLimits, type UnpackLimits } from "./layers/unpack-limits.ts";
import { UnpackProcess, type UnpackProcessOptions } from "./layers/unpack-process.ts";
import { imageArchitecture } from "./layout/choose-platform.ts";
import { isLocalReference } from "./layout/local-reference.ts";
import { openLocalImage } from "./layout/open-local-image.ts";
import type { PulledImage, PullProgress, WantedContent } from "./pulled-image.ts";
import { findImage } from "./store/find-image.ts";
import { ImageStore } from "./store/image-store.ts";
import { pullIntoStore, type PullTools } from "./store/pull-into-store.ts";
import { storeProblem, systemCode } from "./store/store-problem.ts";
import { SingleFlight, Slots } from "./store/single-flight.ts";

/** What the signature policy decides about. */
export interface PolicyQuestion {
  readonly request: PullRequest;
  /** Of the manifest or index that the reference names. */
  readonly digest: Digest;
  /** For signatures that lie beside the image. */
  readonly source: ImageSource;
}

export interface ImagesOptions {
  /** Cache directory; images lie in `images` below it. Several processes may use the same. */
  readonly directory: string;
  readonly clock: Clock;
  /** Opens what is not on this machine: `[docker://]host/repository`. Sends nothing yet; the source is closed after use. */
  readonly openSource: (
    request: PullRequest,
  ) => Promise<Result<ImageSource, ImageProblem>> | Result<ImageSource, ImageProblem>;
  /** The signature policy, asked before anything is unpacked and for each request. By default every image is accepted. */
  readonly verify?: (
    question: PolicyQuestion,
    signal: AbortSignal,
  ) => Promise<Result<ImageAcceptance | undefined, ImageProblem>>;
  /** Bytes of all unpacked images; 20 GiB by default. */
  readonly mostBytes?: number;
  readonly limits?: Partial<UnpackLimits>;
  /** Limits and entrance of the unpacking process. */
  readonly unpacking?: UnpackProcessOptions;
  /** Of images in an index; by default that of this machine. */
  readonly architecture?: string;
}

const mostPulls = 16;
const defaultMostBytes = 20 * 2 ** 30;

interface Shared {
  readonly request: PullRequest;
  readonly result: Result<PulledImage, ImageProblem>;
}

/**
 * All images of a process; see `Images`. A pull waits for one of 16 slots only when something has to be fetched. Requests
 * for the same digest and content share one pull and its progress; a request with other credentials tries again by itself
 * when the shared pull fails.
 */
export function createImages(options: ImagesOptions): Images {
  return new PulledImages(options);
}

class PulledImages implements Images {
  readonly #options: ImagesOptions;
  readonly #tools: PullTools;
  readonly #flights = new SingleFlight<Shared>();
  readonly #listeners = new Map<string, Set<(progress: PullProgress) => void>>();
  readonly #slots = new Slots(mostPulls);
  readonly #pulling = new Map<Digest, number>();
  readonly #closed = new AbortController();

  constructor(options: ImagesOptions) {
    this.#options = options;
    const directory = join(options.directory, "images");
    const mostBytes = options.mostBytes ?? defaultMostBytes;
    this.#tools = {
      directory,
      mostBytes,
      store: new ImageStore({ directory, clock: options.clock, mostBytes }),
      unpacker: new UnpackProcess(options.unpacking),
      limits: { ...defaultUnpackLimits, ...options.limits },
      architecture: options.architecture ?? imageArchitecture(process.arch),
    };
  }

  async resolve(request: PullRequest, { signal, onProgress }: PullOptions): Promise<Result<Digest, ImageProblem>> {
    const { reference } = request;
    const pinned = request.digest ?? pinnedDigest(reference);
    if (pinned !== undefined) return done(pinned);
    const either = AbortSignal.any([signal, this.#closed.signal]);
    const opened = await this.#open(request);
    if (!opened.ok) return opened;
    try {
      const digest = await opened.value.resolve(either);
      if (digest.ok) onProgress?.({ kind: "resolved", reference, digest: digest.value });
      return digest;
    } finally {
      await opened.value.close();
    }
  }

  async size(request: PullRequest, options: PullOptions): Promise<Result<number, ImageProblem>> {
    const signal = AbortSignal.any([options.signal, this.#closed.signal]);
    const opened = await this.#open(request);
    if (!opened.ok) return opened;
    try {
      const pinned = request.digest ?? pinnedDigest(request.reference);
      const digest = pinned === undefined ? await opened.value.resolve(signal, { readsManifest: true }) : done(pinned);
      if (!digest.ok) return digest;
      const found = await findImage(opened.value, digest.value, this.#tools.architecture, signal);
      return found.ok ? done(found.value.layers.reduce((sum, { size }) => sum + size, found.value.config.size)) : found;
    } finally {
      await opened.value.close();
    }
  }

  async pull(request: PullRequest, options: PullOptions): Promise<Result<PulledImage, ImageProblem>> {
    const signal = AbortSignal.any([options.signal, this.#closed.signal]);
    signal.throwIfAborted();
    const opened = await this.#open(request);
    if (!opened.ok) return opened;
    const source = new OwnedSource(opened.value);
    try {
      return await this.#pull(request, source, signal, options.onProgress ?? (() => undefined));
    } finally {
      await source.release();
    }
  }

  held(digest: Digest, wanted: WantedContent): PulledImage | undefined {
    return this.#tools.store.held(digest, wanted);
  }

  async collect(inUse: ReadonlySet<Digest>): Promise<void> {
    await this.#tools.store.collect(new Set([...inUse, ...this.#pulling.keys()]));
    this.#tools.unpacker.rest();
  }

  async close(): Promise<void> {
    this.#closed.abort(new Error("images were closed"));
    this.#tools.unpacker.close();
  }

  async #pull(
    request: PullRequest,
    source: OwnedSource,
    signal: AbortSignal,
    onProgress: (progress: PullProgress) => void,
  ): Promise<Result<PulledImage, ImageProblem>> {
    const { reference, wanted, directory } = request;
    const pinned = request.digest ?? pinnedDigest(reference);
    // A bundle is new as a rule; what is held costs a HEAD alone, which registries do not count as a pull.
    const intent = { readsManifest: wanted === "bundle" };
    const resolved = pinned === undefined ? await source.source.resolve(signal, intent) : done(pinned);
    if (!resolved.ok) return resolved;
    const digest = resolved.value;
    onProgress({ kind: "resolved", reference, digest });
    const accepted = await this.#options.verify?.({ request, digest, source: source.source }, signal);
    if (accepted?.ok === false) return accepted;
    const content = contentDigest(digest, directory);
    const withVerdict = (image: PulledImage): Result<PulledImage, never> =>
      done({ ...image, digest, ...(accepted?.value === undefined ? {} : { accepted: accepted.value }) });
    const key = `${content} ${wanted}`;
    const listen = (progress: PullProgress): void => onProgress({ ...progress, reference });
    for (;;) {
      const held = this.#tools.store.held(content, wanted);
      if (held !== undefined) {
        onProgress({ kind: "complete", reference, digest });
        return withVerdict(held);
      }
      const listeners = this.#listeners.get(key) ?? new Set();
      this.#listeners.set(key, listeners.add(listen));
      const { started, value } = await this.#flights
        .join(key, signal, (shared) => this.#start(key, { digest, content }, request, source, shared))
        .finally(() => {
          listeners.delete(listen);
          if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
        });
      if (!value.result.ok && !started && !isSameTry(value.request, request)) continue;
      if (value.result.ok) onProgress({ kind: "complete", reference, digest });
      return value.result.ok ? withVerdict(value.result.value) : failed({ ...value.result.problem, reference });
    }
  }

  /** The source is used until the shared pull ends, also when the request that brought it has gone. */
  async #start(
    key: string,
    { digest, content }: Pick<PulledImage, "digest" | "content">,
    request: PullRequest,
    source: OwnedSource,
    signal: AbortSignal,
  ): Promise<Shared> {
    source.hold();
    this.#pulling.set(content, (this.#pulling.get(content) ?? 0) + 1);
    const report = (progress: PullProgress): void => this.#listeners.get(key)?.forEach((listen) => listen(progress));
    try {
      const isPinned = pinnedDigest(request.reference) !== undefined;
      const { wanted, directory } = request;
      const order = { source: source.source, digest, content, wanted, directory, isPinned };
      const result = await this.#slots.use(signal, () => pullIntoStore(order, this.#tools, signal, report));
      return { request, result };
    } finally {
      const others = (this.#pulling.get(content) ?? 1) - 1;
      if (others === 0) this.#pulling.delete(content);
      else this.#pulling.set(content, others);
      await source.release();
    }
  }

  async #open(request: PullRequest): Promise<Result<ImageSource, ImageProblem>> {
    const { reference } = request;
    if (!isLocalReference(reference)) return this.#options.openSource(request);
    const { directory, limits, store } = this.#tools;
    try {
      return await openLocalImage(reference, store.scratchFile(), limits);
    } catch (error) {
      const problem = storeProblem(reference, directory, systemCode(error) ?? "");
      if (problem === undefined) throw error;
      return failed(problem);
    }
  }
}

/** A source that is closed when its last user releases it. */
class OwnedSource {
  readonly source: ImageSource;
  #users = 1;

  constructor(source: ImageSource) {
    this.source = source;
  }

  hold(): void {
    this.#users++;
  }

  async release(): Promise<void> {
    if (--this.#users === 0) await this.source.close();
  }
}

/** The digest that a reference names itself; never for an image on this machine. */
function pinnedDigest(reference: string): Digest | undefined {
  if (isLocalReference(reference)) return undefined;
  const digest = reference.slice(reference.lastIndexOf("@") + 1);
  return isDigest(digest) ? digest : undefined;
}

/** Another try of the second would be the same as that of the first. */
function isSameTry(first: PullRequest, second: PullRequest): boolean {
  return (
    first.reference === second.reference && JSON.stringify(first.credentials) === JSON.stringify(second.credentials)
  );
}
