/** A signature policy in the format of containers-policy.json(5), as far as it is supported. */
export interface Policy {
  readonly default: readonly Requirement[];
  /** Requirements by transport and scope; scope "" is the transport's default. */
  readonly transports: ReadonlyMap<string, ReadonlyMap<string, readonly Requirement[]>>;
}

/** All requirements of the scope that applies must be met. */
export type Requirement =
  | { readonly kind: "accept" }
  | { readonly kind: "reject" }
  | SigstoreRequirement
  /** Known to other tools; an image that it applies to is refused. */
  | { readonly kind: "unsupported"; readonly type: string };

/** Type `sigstoreSigned`. */
export interface SigstoreRequirement {
  readonly kind: "sigstoreSigned";
  readonly signers:
    | { readonly kind: "keys"; readonly keys: readonly MaterialSource[] }
    | {
        readonly kind: "fulcio";
        readonly authorities: MaterialSource;
        readonly oidcIssuer: string;
        readonly subjectEmail: string;
      };
  /** Keys of transparency logs, one of which must have signed the entry; empty when none is required. */
  readonly logKeys: readonly MaterialSource[];
  /** Chains of timestamp authorities, whose time counts where a log signs none; Purser's own. */
  readonly timestampAuthorities: readonly MaterialSource[];
  readonly identity: SignedIdentity;
}

/** Keys or certificates: PEM in a file, or in the policy itself (base64 there). */
export type MaterialSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "data"; readonly bytes: Uint8Array };

/** Which image a signature must have been made for. */
export type SignedIdentity =
  | { readonly kind: "matchExact" | "matchRepoDigestOrExact" | "matchRepository" }
  /** Purser's own: the digest that was signed is enough, whatever image the signature names, or none. */
  | { readonly kind: "matchDigest" }
  | { readonly kind: "exactReference" | "exactRepository"; readonly reference: string }
  | { readonly kind: "remapIdentity"; readonly prefix: string; readonly signedPrefix: string };

/** The transport under which a policy names catalogs and packages: `catalog/NAME`, `package/NAME`. */
export const ownTransport = "purser";
