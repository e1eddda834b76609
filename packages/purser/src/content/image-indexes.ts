import type { Digest } from "@purser/kubernetes/digest";
import { failed, type Result } from "@purser/kubernetes/result";
import type { CatalogProblem } from "../catalog/problem.ts";
import { buildIndex } from "../catalog-store/build.ts";
import { openIndex, type StoredIndex } from "../catalog-store/open.ts";
import type { WrittenIndex } from "../catalog-store/write-index.ts";
import { SingleFlight } from "../image/store/single-flight.ts";
import { unusable, unwritable } from "./directory-index.ts";
import { openIndexOfImage, rememberIndexOfImage } from "./kept-index.ts";

/** An unpacked catalog image. */
export interface IndexedImage {
  /** Digest of what was unpacked. */
  readonly content: Digest;
  readonly directory: string;
  /** Rules that the catalog breaks are no problem. */
  readonly isUnchecked: boolean;
}

type Built = Result<WrittenIndex, readonly CatalogProblem[]>;

/** The indexes of catalog images. Each image is indexed once, for both API families and for requests with other credentials. */
export class ImageIndexes {
  readonly #directory: string;
  readonly #builder: { readonly builder?: string };
  readonly #builds = new SingleFlight<Built>();

  /**
   * @param directory of the indexes
   * @param builder entrance of the index builder when it does not lie beside the catalog store
   */
  constructor(directory: string, builder?: string) {
    this.#directory = directory;
    this.#builder = builder === undefined ? {} : { builder };
  }

  /** Opens the kept index of an image, or builds it. Rejects only when the signal aborts. */
  async open(
    { content, directory, isUnchecked }: IndexedImage,
    signal: AbortSignal,
  ): Promise<Result<StoredIndex, readonly CatalogProblem[]>> {
    const kept = openIndexOfImage(this.#directory, content, isUnchecked);
    if (kept !== undefined) return { ok: true, value: kept };
    const { value: built } = await this.#builds.join(content, signal, (shared) =>
      this.#build(content, directory, shared),
    );
    if (!built.ok) return built;
    const { file, broken } = built.value;
    if (broken !== undefined && !isUnchecked) return failed(broken);
    const opened = openIndex(file);
    return opened.ok ? opened : unusable(opened.problem.file, opened.problem.message);
  }

  async #build(content: Digest, directory: string, signal: AbortSignal): Promise<Built> {
    try {
      const request = {
        directory: directory,
        form: "unchecked",
        into: this.#directory,
        signal,
        ...this.#builder,
      } as const;
      const built = await buildIndex(request);
      if (built.ok)
        rememberIndexOfImage(this.#directory, content, built.value.digest, built.value.broken !== undefined);
      return built;
    } catch (error) {
      // A full disk or a builder that cannot be started must not affect the other catalogs.
      signal.throwIfAborted();
      return unwritable(this.#directory, error);
    }
  }
}
