import type { Place } from "@purser/kubernetes/place";

/** A problem of a catalog and its place. Rule ids are stable; `message` is upstream's text where it has one. */
export interface CatalogProblem {
  readonly rule: CatalogRule;
  readonly message: string;
  /** Upstream's whole text, where it differs from `message`: with prefixes and its own line numbers. */
  readonly upstreamText?: string;
  readonly place?: Place;
  readonly packageName?: string;
  readonly channel?: string;
  readonly bundle?: string;
}

/** A problem as upstream's programs report it. */
export function upstreamText({ upstreamText: text, message }: CatalogProblem): string {
  return text ?? message;
}

/** Handles of the rules, in the order in which they are checked. */
const catalogRules = [
  "unreadable",
  /** Not of the catalog: its index cannot be kept on this machine. */
  "unwritable",
  "syntax",
  "not-an-object",
  "duplicate-keys",
  "schema-missing",
  "meta-type",
  "field-type",
  "bundle-object",
  "package-name",
  "duplicate-package",
  "unknown-package",
  "channel-name",
  "duplicate-channel",
  "duplicate-entry",
  "bundle-package",
  "duplicate-bundle",
  "property",
  "package-property",
  "image-reference",
  "version",
  "release",
  "bundle-without-entry",
  "entry-without-bundle",
  "deprecation",
  "default-channel",
  "package-without-channels",
  "duplicate-version",
  "empty-channel",
  "channel-graph",
  "bundle-name",
  "empty-skip",
  "skip-range",
  "image-missing",
] as const;
export type CatalogRule = (typeof catalogRules)[number];
