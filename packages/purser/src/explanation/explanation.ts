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

/** What a remedy deletes: objects that can be made again, such as installations, or what is lost for good, such as custom resources. */
type Deletion = "objects" | "data";

type DeletingVerb = "Delete" | "Remove" | "Uninstall";

/**
 * A remedy as text, where possible with a command or a patch that does it. One that deletes says so: in its first word and in
 * `deletes`, and renderings warn of data that is lost.
 */
export type Remedy = HarmlessRemedy | DeletingRemedy;

export interface HarmlessRemedy {
  readonly summary: string;
  readonly command?: string;
  readonly patch?: JsonValue;
  readonly deletes?: never;
}

export interface DeletingRemedy {
  readonly summary: `${DeletingVerb | Lowercase<DeletingVerb>} ${string}`;
  readonly command: string;
  readonly patch?: never;
  readonly deletes: Deletion;
}

const losesData = "loses data: ";

/** The summary of a remedy as people read it: with a warning where data is lost. */
export const remedyWords = ({ summary, deletes }: Remedy): string =>
  deletes === "data" ? `${losesData}${summary}` : summary;

const startsWithDeletion = (text: string): text is `${DeletingVerb} ${string}` =>
  /^(?:Delete|Remove|Uninstall) /i.test(text);

/** The remedy of which {@link remedyWords} wrote the text. */
export function remedyFrom(words: string, command: string): Remedy {
  const isData = words.startsWith(losesData);
  const summary = isData ? words.slice(losesData.length) : words;
  const isDeletion = startsWithDeletion(summary) && /^(?:kubectl(?: -n \S+)? delete|purser uninstall) /.test(command);
  return isDeletion ? { summary, command, deletes: isData ? "data" : "objects" } : { summary, command };
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
