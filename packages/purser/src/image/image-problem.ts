import type { ContentProblem } from "../catalog/content.ts";

/** Why an image cannot be had. Never holds a credential, a token or a URL with user information or a signed query. */
export interface ImageProblem extends ContentProblem {
  readonly kind:
    /** The reference cannot be parsed, has no registry, or names neither tag nor digest. */
    | "reference"
    /** Configuration forbids it: blocked, short name, a broken configuration file. */
    | "configuration"
    /** 401 or 403, also from the token service. */
    | "unauthorized"
    /** 404: no such repository, tag, digest or blob. */
    | "notFound"
    /** Network, TLS, proxy, timeout, 429 or 5xx: may pass. */
    | "unreachable"
    /** The answer breaks the protocol or the content: wrong digest, truncated, not a manifest, no platform, cyclic index. */
    | "invalid"
    /** Correct content that is not what was asked for: a missing label, no bundle, no catalog. */
    | "content"
    /** Hostile or too large: a limit of unpacking was reached. */
    | "limit"
    /** The signature policy rejects it. */
    | "signature"
    /** This machine: full disk, no permission, the unpacking process ended. */
    | "machine";
  /** The image as the caller named it. */
  readonly reference: string;
  /** The place that was tried last, when it is not the registry of the reference. */
  readonly mirror?: string;
  readonly httpStatus?: number;
  /** Labels of the image, when they do not name the content that was asked for. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The same content gives the same problem: another try is useless until the reference, the configuration or the content changes. */
  readonly isFinal?: boolean;
  /** Milliseconds that the registry asked to wait (Retry-After). */
  readonly retryAfterMs?: number;
}
