import type { Readable } from "node:stream";
import type { Digest } from "@purser/kubernetes/digest";
import type { Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "./image-problem.ts";

/** A descriptor of the OCI image specification, or of Docker schema 2. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string; readonly variant?: string };
  readonly annotations?: Readonly<Record<string, string>>;
  /** Further places of a non-distributable layer. */
  readonly urls?: readonly string[];
}

/** The bytes of a manifest or index; their digest is checked. */
export interface RawManifest {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/**
 * One image where it lies: in a registry or one of its mirrors, in an OCI layout, in an archive. What `docker://`, `oci:`,
 * `oci-archive:` and `docker-archive:` have in common.
 */
export interface ImageSource {
  /** As the user named it; for messages. */
  readonly reference: string;
  /**
   * The digest that the reference names now; of a registry by HEAD. With `readsManifest` the manifest is asked for next, and
   * a registry sends it with the same request.
   */
  resolve(signal: AbortSignal, intent?: { readonly readsManifest: boolean }): Promise<Result<Digest, ImageProblem>>;
  /** A manifest or index by digest. At most 4 MiB. */
  manifest(digest: Digest, signal: AbortSignal): Promise<Result<RawManifest, ImageProblem>>;
  /**
   * A blob as a stream that ends with an error when its size or digest is not that of the descriptor; the error carries
   * an `ImageProblem` (`ImageError`). Read it within `fromAnyPlace`, so that wrong content is asked of the next place.
   */
  blob(descriptor: Descriptor, signal: AbortSignal): Promise<Result<Readable, ImageProblem>>;
  /**
   * Another tag of the same repository or layout, with the same credentials, mirrors and connections: where cosign keeps
   * signatures. Absent where images lie alone. Closed on its own.
   */
  sibling?(tag: string): ImageSource;
  /**
   * The image index of what names the digest as its subject, by the referrers API of the registry; undefined where the registry has
   * no such API, and absent where there can be none.
   */
  referrers?(digest: Digest, signal: AbortSignal): Promise<Result<Uint8Array | undefined, ImageProblem>>;
  /** Closes connections or files. */
  close(): Promise<void>;
}

/** An `ImageProblem` where only an error can travel: the end of a stream. */
export class ImageError extends Error {
  readonly problem: ImageProblem;
  /** The content was wrong, and the same request to the source goes to another place. */
  readonly hasOtherPlace: boolean;

  constructor(problem: ImageProblem, hasOtherPlace = false) {
    super(problem.cause);
    this.problem = problem;
    this.hasOtherPlace = hasOtherPlace;
  }
}

/**
 * Reads a blob from its first byte, once more for each further place that may have the right content: what was passed on of
 * wrong content cannot be called back. Rejects with the error of the last place.
 */
export async function fromAnyPlace<Value>(read: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ImageError) || !error.hasOtherPlace) throw error;
    }
  }
}
