import type { Readable } from "node:stream";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImageReference } from "../../image-reference.ts";
import { placeName, type PullPlace } from "../configuration/pull-place.ts";
import type { ImageProblem } from "../image-problem.ts";
import { type Descriptor, ImageError, type ImageSource, type RawManifest } from "../image-source.ts";
import type { RegistryAuth } from "../registry-auth.ts";
import { type BlobEnd, type BlobOrigin, openBlob, type OriginFailures } from "./blob-stream.ts";
import { exchange } from "./exchange.ts";
import { failureOfAnswer } from "./failure-of-answer.ts";
import { type ClientParts, RegistryClient } from "./registry-client.ts";
import type { RegistryFailure } from "./registry-failure.ts";
import { defaultRegistryLimits, type RegistryLimits } from "./registry-limits.ts";
import { defaultRetryPolicy, type RetryPolicy } from "./retry.ts";
import { blobOrigin, headDigest, rangeFrom, readManifest, readReferrers } from "./repository-content.ts";
import { type PlaceFailure, sourceProblem } from "./source-problem.ts";

export interface RegistrySourceOptions extends Pick<ClientParts, "connections" | "clock" | "entropy"> {
  /** The reference as the user wrote it, for messages. */
  readonly name: string;
  /** Where to look, in order; asked once, at the first request. */
  readonly places: () => Result<readonly PullPlace[], ImageProblem>;
  /** The credentials for a place; asked when it wants some. */
  readonly credentials: (
    place: ImageReference,
    signal: AbortSignal,
  ) => Promise<Result<RegistryAuth | undefined, RegistryFailure>>;
  readonly limits?: RegistryLimits;
  readonly retry?: RetryPolicy;
}

interface OpenPlace {
  readonly name: string;
  readonly isMirror: boolean;
  /** Digest or tag there. */
  readonly wanted: string;
  readonly client: RegistryClient;
}

/**
 * One image over the OCI distribution API. Every request is sent to the places in order, beginning with the one that
 * answered last: a mirror that has the manifest and lacks a layer does not end the pull.
 */
export function registrySource(reference: ImageReference, options: RegistrySourceOptions): ImageSource {
  return new RegistrySource(reference, options);
}

class RegistrySource implements ImageSource {
  readonly reference: string;
  readonly #image: ImageReference;
  readonly #options: RegistrySourceOptions & Pick<ClientParts, "limits" | "retry">;
  #places: Result<readonly OpenPlace[], ImageProblem> | undefined;
  #preferred = 0;
  /** By blob: what places answered that are not asked for it again, because their content was wrong. */
  readonly #wrong = new Map<Digest, OriginFailures>();
  /** Read while the tag was resolved, when it was wanted or HEAD gave no digest. */
  #manifest: RawManifest | undefined;

  constructor(reference: ImageReference, options: RegistrySourceOptions) {
    this.reference = options.name;
    this.#image = reference;
    this.#options = { limits: defaultRegistryLimits, retry: defaultRetryPolicy, ...options };
  }

  async resolve(
    signal: AbortSignal,
    { readsManifest } = { readsManifest: false },
  ): Promise<Result<Digest, ImageProblem>> {
    const { digest } = this.#image;
    if (digest !== undefined) return isDigest(digest) ? done(digest) : failed(this.#unsupportedDigest(digest));
    return this.#fromPlaces(async (place) => {
      const head = readsManifest
        ? done(undefined)
        : await headDigest(place.client, place.wanted, this.#options, signal);
      if (!head.ok) return head;
      if (head.value !== undefined) return done(head.value);
      const manifest = await readManifest(place.client, place.wanted, this.#options, signal);
      if (!manifest.ok) return manifest;
      this.#manifest = manifest.value;
      return done(manifest.value.digest);
    });
  }

  async manifest(digest: Digest, signal: AbortSignal): Promise<Result<RawManifest, ImageProblem>> {
    if (this.#manifest?.digest === digest) return done(this.#manifest);
    return this.#fromPlaces(({ client }) => readManifest(client, digest, this.#options, signal));
  }

  async blob(descriptor: Descriptor, signal: AbortSignal): Promise<Result<Readable, ImageProblem>> {
    const places = this.#openPlaces();
    if (!places.ok) return places;
    const known = this.#wrong.get(descriptor.digest) ?? [];
    const all = [
      ...this.#ordered(places.value).map(({ place }) => blobOrigin(place.name, place.client, descriptor.digest)),
      ...this.#elsewhere(descriptor),
    ];
    const origins = all.filter((origin) => !known.some(({ name }) => name === origin.name));
    const mirrors = new Set(places.value.filter(({ isMirror }) => isMirror).map(({ name }) => name));
    const problem = (failures: OriginFailures): ImageProblem =>
      sourceProblem(
        this.reference,
        [...known, ...failures].map(({ name, failure }) => ({ name, isMirror: mirrors.has(name), failure })),
      );
    const toError = ({ failures, wrong }: BlobEnd): Error => {
      const isWrong = ({ name }: { readonly name: string }): boolean => wrong.includes(name);
      this.#wrong.set(descriptor.digest, [...known, ...failures.filter(isWrong)]);
      return new ImageError(problem(failures), wrong.length > 0 && !origins.every(isWrong));
    };
    const opened = await openBlob(descriptor, origins, this.#options, toError, signal);
    return opened.ok ? opened : failed(problem(opened.problem));
  }

  /** Asks the same places, in the same order: a mirror that has an image has its signatures. */
  sibling(tag: string): ImageSource {
    const { name, places } = this.#options;
    const repository = name.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
    const tagged = ({ registry, repository: path }: ImageReference): ImageReference => ({
      registry,
      repository: path,
      tag,
    });
    return new RegistrySource(tagged(this.#image), {
      ...this.#options,
      name: `${repository}:${tag}`,
      places: () => {
        const found = places();
        return found.ok ? done(found.value.map((place) => ({ ...place, reference: tagged(place.reference) }))) : found;
      },
    });
  }

  referrers(digest: Digest, signal: AbortSignal): Promise<Result<Uint8Array | undefined, ImageProblem>> {
    return this.#fromPlaces(({ client }) => readReferrers(client, digest, this.#options, signal));
  }

  /** Connections are shared with other sources. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async #fromPlaces<Value>(
    ask: (place: OpenPlace) => Promise<Result<Value, RegistryFailure>>,
  ): Promise<Result<Value, ImageProblem>> {
    const places = this.#openPlaces();
    if (!places.ok) return places;
    const failures: PlaceFailure[] = [];
    for (const { place, index } of this.#ordered(places.value)) {
      const result = await ask(place);
      if (result.ok) {
        this.#preferred = index;
        return result;
      }
      failures.push({ name: place.name, isMirror: place.isMirror, failure: result.problem });
    }
    return failed(sourceProblem(this.reference, failures));
  }

  /** The place that answered last, then the others in their order. */
  #ordered(places: readonly OpenPlace[]): readonly { readonly place: OpenPlace; readonly index: number }[] {
    const all = places.map((place, index) => ({ place, index }));
    const preferred = this.#preferred;
    return [...all.filter(({ index }) => index === preferred), ...all.filter(({ index }) => index !== preferred)];
  }

  #openPlaces(): Result<readonly OpenPlace[], ImageProblem> {
    this.#places ??= this.#open();
    return this.#places;
  }

  #open(): Result<readonly OpenPlace[], ImageProblem> {
    const places = this.#options.places();
    if (!places.ok) return places;
    return done(
      places.value.map((place) => {
        const { registry, repository, tag, digest } = place.reference;
        const credentials = (signal: AbortSignal): ReturnType<RegistrySourceOptions["credentials"]> =>
          this.#options.credentials(place.reference, signal);
        const parts = { ...this.#options, credentials, actions: "pull" };
        return {
          name: placeName(place),
          isMirror: place.isMirror,
          wanted: digest ?? tag ?? "latest",
          client: new RegistryClient({ registry, repository, isInsecure: place.isInsecure }, parts),
        };
      }),
    );
  }

  /** Further places of a non-distributable layer, which a registry need not keep. Nobody's credentials are sent there. */
  #elsewhere({ mediaType, digest, urls = [] }: Descriptor): readonly BlobOrigin[] {
    if (!/foreign|nondistributable/.test(mediaType)) return [];
    return urls.flatMap((text) => {
      const url = URL.parse(text);
      if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") return [];
      const open: BlobOrigin["open"] = async (from, signal) => {
        const request = { method: "GET", url, headers: rangeFrom(from), verify: true } as const;
        const answer = await exchange(this.#options, request, signal);
        if (!answer.ok || answer.value.status === 200 || answer.value.status === 206) return answer;
        return failed(await failureOfAnswer(answer.value, `GET of blob ${digest}`, this.#options, signal));
      };
      return [{ name: url.host, open }];
    });
  }

  #unsupportedDigest(digest: string): ImageProblem {
    return {
      kind: "reference",
      cause: `image ${this.reference} cannot be pulled: digest ${digest} is not one of SHA-256`,
      remedy: "name the image by its sha256 digest",
      reference: this.reference,
      isFinal: true,
    };
  }
}
