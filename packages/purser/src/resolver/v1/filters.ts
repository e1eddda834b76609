import type { BundleMetadata, CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import type { BundleSummary } from "../../catalog/catalog-index.ts";
import type { VersionRange } from "../../version-range.ts";
import { edgeFrom } from "../../upgrade-graph/successors.ts";
import type { VersionRelease } from "./bundle-version.ts";
import { compareVersionReleases } from "./bundle-version.ts";
import { Pace } from "../pace.ts";
import { endOf } from "../resolution.ts";
import type { ExtensionHold } from "./input.ts";
import type { Candidate, PackageContent } from "./package-content.ts";

/** What narrows the bundles of a package. */
export type FilterKind = "channels" | "range" | "successors" | "holds";

export interface FilterRules {
  readonly channels: readonly string[];
  readonly range: VersionRange | undefined;
  /** Undefined: nothing installed, or the extension certifies its upgrades itself. */
  readonly installed: { readonly bundle: BundleMetadata; readonly version: VersionRelease } | undefined;
  readonly holds: readonly ExtensionHold[];
}

function passes(
  kind: FilterKind,
  candidate: Candidate,
  rules: FilterRules,
  inChannels: readonly BundleSummary[],
): boolean {
  const { version } = candidate;
  switch (kind) {
    case "channels":
      return rules.channels.length === 0 || inChannels.length > 0;
    case "range":
      return rules.range === undefined || (version.ok && rules.range.includes(version.value.version));
    case "successors": {
      const { installed } = rules;
      if (installed === undefined) return true;
      const from = { name: installed.bundle.name, version: installed.version.version };
      if (inChannels.some((entry) => edgeFrom(entry, from) !== undefined)) return true;
      // Staying is always allowed.
      return version.ok && compareVersionReleases(version.value, installed.version) === 0;
    }
    case "holds":
      return !rules.holds.some(({ bundles }) => bundles.includes(candidate.name));
  }
}

/** Candidates of a package that pass the given filters; without the channel filter all channels give edges. */
export function* filteredSteps(
  content: PackageContent,
  rules: FilterRules,
  active: readonly FilterKind[],
  pace: Pace,
): Generator<undefined, readonly Candidate[]> {
  const named = active.includes("channels") && rules.channels.length > 0 ? new Set(rules.channels) : undefined;
  const found: Candidate[] = [];
  for (const candidate of content.candidates) {
    if (pace.spend(1)) yield;
    const inChannels = candidate.entries.filter(({ channel }) =>
      named === undefined ? channel !== "" : named.has(channel),
    );
    if (active.every((kind) => passes(kind, candidate, rules, inChannels))) found.push(candidate);
  }
  return found;
}

/** {@link filteredSteps} in one go. */
export function filtered(
  content: PackageContent,
  rules: FilterRules,
  active: readonly FilterKind[],
): readonly Candidate[] {
  return endOf(filteredSteps(content, rules, active, new Pace()));
}

/** Not deprecated first, then the newest; versions that cannot be read come last. */
export function byPreference(left: Candidate, right: Candidate): number {
  if (left.deprecated !== right.deprecated) return left.deprecated ? 1 : -1;
  if (!left.version.ok || !right.version.ok) return Number(!left.version.ok) - Number(!right.version.ok);
  return compareVersionReleases(right.version.value, left.version.value);
}

/** Filters that the extension asks for. */
export function activeFilters(filter: CatalogFilter, rules: FilterRules): readonly FilterKind[] {
  const active: FilterKind[] = [];
  if ((filter.channels ?? []).length > 0) active.push("channels");
  if (rules.range !== undefined) active.push("range");
  if (rules.installed !== undefined) active.push("successors");
  if (rules.holds.length > 0) active.push("holds");
  return active;
}
