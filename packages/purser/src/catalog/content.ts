import { type Digest, isDigest } from "@purser/kubernetes/digest";
import type { SpanReference } from "@purser/kubernetes/tracing";
import type { CatalogIndex } from "./catalog-index.ts";
import type { ImageAcceptance } from "./image-acceptance.ts";

/**
 * Where a catalog's content comes from. Holds what API objects name, never a path of this machine or a secret, so that
 * it may stand in logs, conditions and keys.
 */
export type ContentSource =
  /** A directory or file that this process was started with, by the name it was given there. */
  | {
      readonly kind: "directory";
      readonly name: string;
      /** Only content with this digest will do; absent: what the directory holds now. */
      readonly digest?: Digest;
    }
  /** A catalog image, by tag or digest. */
  | {
      readonly kind: "image";
      readonly reference: string;
      /** Directory of the catalog in the image, in place of that of its label. */
      readonly directory?: string;
    }
  /** A server of the gRPC registry API, as `host:port`. */
  | { readonly kind: "address"; readonly address: string }
  /** The old package manifest format in a ConfigMap (`sourceType: configmap` of OLM v0). */
  | { readonly kind: "configMap"; readonly namespace: string; readonly name: string };

/** A Secret with registry credentials: its name, never its content. */
export interface PullSecret {
  readonly namespace: string;
  readonly name: string;
}

/** When a source is looked at again by itself. */
export interface Poll {
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** The interval is multiplied by a random factor between these two: OLM v0 takes 0.9 to 1.1, OLM v1 1 to 1.01. */
  readonly jitter: readonly [number, number];
  /** Epoch milliseconds of the last look that the object's status records: a restart is no reason to look again. */
  readonly lastMs?: number;
}

export interface CatalogRequest {
  readonly source: ContentSource;
  /**
   * Only the documents of an image have to be readable. OLM v1 serves catalogs that `opm validate` refuses, for example
   * packages without a default channel, and resolves from them; the registry server of OLM v0 does not start with one.
   */
  readonly isUnchecked?: true;
  /** Tried before what the process itself holds for the registry; the most specific path of a registry wins. */
  readonly credentials: readonly PullSecret[];
  /** Scopes of the signature policy beside the registry's own, the most specific first: `catalog/NAME`. */
  readonly policy: readonly string[];
  /** Absent: looked at when asked for first and when the source itself reports a change. */
  readonly poll?: Poll;
  /** RFC 3339: the source is looked at once more for each time later than those before. */
  readonly refresh?: string;
  /**
   * The digest that the object's status names. While the source has no content (after a restart, after a change of the
   * source, while it cannot be read), this content is the last good one, if it is still kept here.
   */
  readonly lastGood?: Digest;
}

export interface BundleRequest {
  /** Image of the bundle; may be empty for a bundle that only lies in a directory. */
  readonly reference: string;
  /** Package and version by which a directory of bundle directories stands in for a registry. */
  readonly packageName: string;
  readonly version: string;
  readonly credentials: readonly PullSecret[];
  /** Scopes of the signature policy beside the registry's own, the most specific first: `package/NAME`. */
  readonly policy: readonly string[];
}

/** Why content is not available. */
export interface ContentProblem {
  /** One sentence: which content, and what is wrong with it. */
  readonly cause: string;
  /** One sentence: what to do. */
  readonly remedy: string;
  /** Cause of the refusal, where the content is an image. */
  readonly code?: "CatalogUnavailable" | "BundleUnavailable" | "SignatureRejected";
}

/**
 * The state of the content of a request.
 *
 * `pending` -> `ready` or `failing`; `ready` -> `ready` (another digest) or `failing`; `failing` -> `ready`. New content
 * is read while the state stays as it was. `refused` is the answer to a request that this process can never fulfil. A
 * `lastGood` is readable like the content of `ready` until the source has content of its own.
 */
export type ContentState =
  /** Wanted and not read yet. */
  | {
      readonly kind: "pending";
      /** Epoch milliseconds. */
      readonly since: number;
      readonly lastGood?: Digest;
    }
  | {
      readonly kind: "ready";
      readonly digest: Digest;
      /** Absent where there is no signature policy, and for content that is no image. */
      readonly accepted?: ImageAcceptance;
    }
  /** Cannot be read now; is looked at again by itself. */
  | (ContentProblem & {
      readonly kind: "failing";
      /** Epoch milliseconds of the first failure of this cause. */
      readonly since: number;
      /** Epoch milliseconds; absent when a change of the source is waited for. */
      readonly retryAt?: number;
      readonly lastGood?: Digest;
    })
  /** Only another request, or a process with other options, can succeed. */
  | (ContentProblem & { readonly kind: "refused"; readonly lastGood?: Digest });

/** A catalog as resolution asks it: its content, the last good one included, or why there is none. */
export type ReadableCatalog =
  | { readonly kind: "present"; readonly index: CatalogIndex }
  | { readonly kind: "unavailable"; readonly cause: string };

/** The state of some content changed; `key` is `sourceKey` or `bundleKey` of the request. */
export interface ContentNotice {
  readonly kind: "catalog" | "bundle";
  readonly key: string;
  /** Only the time of the next try or of the last poll changed: for those who show it. */
  readonly onlyTimes?: true;
  /** The span of the change; absent while no spans are made. */
  readonly cause?: SpanReference;
}

/** References below this name stand for directories of this process; nothing is ever pulled from there. */
const localHost = "local.purser.dev/";
const localCatalogs = `${localHost}catalogs`;

/** Whether an image reference stands for a directory of this process. */
export function isLocalStandIn(reference: string): boolean {
  return reference.startsWith(localHost);
}

/** The image reference by which catalog objects name a directory that this process was started with. */
export function localCatalogReference(name: string): string {
  return `${localCatalogs}/${name}:latest`;
}

/** The source that an image reference of a catalog object names: a directory for local references, an image for all others. */
export function sourceOfImage(reference: string): ContentSource {
  const local = /^local\.purser\.dev\/catalogs\/([^/:@]+)(?::latest)?(?:@(sha256:[0-9a-f]{64}))?$/.exec(reference);
  if (local === null) return { kind: "image", reference };
  const [, name = "", digest = ""] = local;
  return isDigest(digest) ? { kind: "directory", name, digest } : { kind: "directory", name };
}

/**
 * Equal for requests that wait for the same source, whatever credentials and policy they have. A directory's key leaves out
 * the digest: a request for one content of a directory waits for changes of the directory.
 */
export function sourceKey(source: ContentSource): string {
  switch (source.kind) {
    case "directory":
      return `directory ${source.name}`;
    case "image":
      return `image ${source.reference}${source.directory === undefined ? "" : ` ${source.directory}`}`;
    case "address":
      return `address ${source.address}`;
    case "configMap":
      return `configMap ${source.namespace}/${source.name}`;
  }
}

/** Equal for requests that wait for the same bundle, whatever credentials and policy they have. */
export function bundleKey({ reference, packageName, version }: BundleRequest): string {
  return `${packageName} ${version} ${reference}`;
}

/** Why there is no content, or no newer one than the last good; undefined while it is ready or may still come. */
export function problemOf(state: ContentState): ContentProblem | undefined {
  return state.kind === "failing" || state.kind === "refused" ? state : undefined;
}

/** Cause and remedy, a sentence each. */
export function problemText({ cause, remedy }: ContentProblem): string {
  const isCommand = /^(purser|kubectl|cosign) /.test(remedy);
  const sentence = isCommand ? remedy : `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}`;
  return `${cause}${/[.?!]$/.test(cause) ? "" : "."} ${sentence}`;
}
