import type { JsonValue } from "@purser/kubernetes/json";

/** The closed set of causes; what each means and carries stands in `docs/causes.md`. */
export const causeCodes = [
  "PackageNotFound",
  "ChannelNotFound",
  "VersionNotFound",
  "NoVersionInRange",
  "NoUpgradePath",
  "CatalogNotFound",
  "CatalogUnavailable",
  "CatalogInvalid",
  "AmbiguousCatalog",
  "DependencyMissing",
  "DependencyConflict",
  "DependencyNotAllowed",
  "ApiConflict",
  "PackageConflict",
  "OrphanedOperator",
  "NotUpgradeable",
  "ConstraintFailed",
  "ClusterIncompatible",
  "InstallModeUnsupported",
  "OperatorGroupMissing",
  "OperatorGroupAmbiguous",
  "BundleUnavailable",
  "BundleInvalid",
  "ConfigurationInvalid",
  "SignatureRejected",
  "CrdUnsafe",
  "PermissionIncrease",
  "PermissionDenied",
  "ObjectOwnedElsewhere",
  "ApprovalRequired",
  "OutsideWindow",
  "Soaking",
  "VersionHeld",
  "RolloutFailed",
  "RolloutStuck",
] as const;

export type CauseCode = (typeof causeCodes)[number];

/** A remedy as text, where possible with a command or a patch that does it. */
export interface Remedy {
  readonly summary: string;
  readonly command?: string;
  readonly patch?: JsonValue;
}

/**
 * One step of the reasoning. A derivation is minimal: without any one leaf the failure would vanish.
 * `upstream` keeps the text that OLM itself would have given for this step, for tools that match on it.
 */
export interface Reason {
  readonly relation:
    | "requested"
    | "requires"
    | "provided"
    | "excluded"
    | "conflicts"
    | "installed"
    | "elsewhere"
    | "fact";
  readonly subject: string;
  readonly text: string;
  readonly upstream?: string;
  readonly because?: readonly Reason[];
}

/** A failed or held decision as data; sentences, trees and condition texts are renderings of it. */
export interface Explanation {
  readonly code: CauseCode;
  /** At most 200 characters; names the objects. */
  readonly summary: string;
  readonly facts: Readonly<Record<string, JsonValue>>;
  readonly derivation: readonly Reason[];
  readonly remedies: readonly Remedy[];
}
