import type { Digest } from "@purser/kubernetes/digest";
import type { Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "./image-problem.ts";
import type { PulledImage, PullProgress, WantedContent } from "./pulled-image.ts";
import type { RegistryAuth } from "./registry-auth.ts";

export interface PullRequest {
  /** `[docker://]host/repository:tag|@digest`, `oci:DIR[:NAME]`, `oci-archive:FILE[:NAME]` or `docker-archive:FILE[:REFERENCE]`. */
  readonly reference: string;
  readonly wanted: WantedContent;
  /** Directory of the catalog in the image, in place of that of its label. */
  readonly directory?: string;
  /** What `resolve` or a status gave: nothing else is pulled, whatever the tag names now. */
  readonly digest?: Digest;
  /** Tried before the credentials that the process itself has (files, helpers); the most specific path wins. */
  readonly credentials: readonly RegistryAuth[];
  /** Scopes of the signature policy beside those of the registry, the most specific first: `catalog/NAME`, `package/NAME`. */
  readonly policy: readonly string[];
  /** As of `RegistryRequest`. */
  readonly once?: true;
}

export interface PullOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: PullProgress) => void;
}

/**
 * All images of this process: pulls with bounded concurrency, once per digest however many callers ask, and keeps what was
 * unpacked in the store, which several processes may share. Configuration and credential files are read anew for each pull.
 */
export interface Images {
  /** The digest that the reference names now; for a reference with a digest without any request. */
  resolve(request: PullRequest, options: PullOptions): Promise<Result<Digest, ImageProblem>>;
  /**
   * The unpacked content: from the store when it holds the digest, else pulled, verified against the policy and unpacked in a
   * process of its own. Rejects only when the signal aborts. The policy is decided for each request, also for held content.
   */
  pull(request: PullRequest, options: PullOptions): Promise<Result<PulledImage, ImageProblem>>;
  /** Bytes of the compressed layers and the configuration, as the registry's manifest for this machine's platform says; nothing is pulled. */
  size(request: PullRequest, options: PullOptions): Promise<Result<number, ImageProblem>>;
  /** What the store holds of a digest, without network. */
  held(digest: Digest, wanted: WantedContent): PulledImage | undefined;
  /** Deletes what no digest of `inUse` names and no pull uses; never what another process read within the last hour. */
  collect(inUse: ReadonlySet<Digest>): Promise<void>;
  /** Ends running pulls and the unpacking process. */
  close(): Promise<void>;
}
