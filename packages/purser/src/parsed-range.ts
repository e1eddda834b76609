import type { Result } from "@purser/kubernetes/result";
import type { Version } from "@purser/kubernetes/version";

/** A set of versions written as comparators. */
export interface VersionRange {
  /** As it was written. */
  readonly text: string;
  /** Build metadata does not count. */
  includes(version: Version): boolean;
}

export interface RangeProblem {
  readonly kind: "range";
  /** The invalid text. */
  readonly text: string;
  /** The message of OLM's programs. */
  readonly message: string;
}

export type ParsedRange = Result<VersionRange, RangeProblem>;
