import { compareNewestFirst, precedenceOf, versionInName } from "./bundle-order.ts";
import type { ChannelGraph } from "./channel-graph.ts";
import { channelGraph } from "./channel-graph.ts";
import type { GraphBundle } from "./graph-bundle.ts";
import type { PackageVersions } from "./package-versions.ts";

/** The upgrades between the versions of a package, under the rules of OLM v0 and v1. */
export interface UpgradeGraph {
  readonly packageName: string;
  readonly defaultChannel: string;
  readonly deprecation?: string | undefined;
  /** Newest first, names without version last. */
  readonly bundles: readonly GraphBundle[];
  /** The default channel first, then the one with the newest bundle. */
  readonly channels: readonly ChannelGraph[];
}

/** The upgrade graph of a package. Contradictions (several heads, cycles, missing bundles) are kept and marked. */
export function upgradeGraph(content: PackageVersions): UpgradeGraph {
  const bundles = new Map<string, GraphBundle>();
  for (const { name, version, release, deprecation, place } of content.bundles) {
    // The first of several bundles of one name counts.
    if (bundles.has(name)) continue;
    const precedence = precedenceOf(version, release);
    bundles.set(name, { name, kind: "bundle", version, release, deprecation, place, precedence });
  }
  for (const { entries } of content.channels) {
    for (const { name, replaces, skips } of entries) {
      for (const each of [name, replaces, ...skips]) {
        if (each === undefined || each === "" || bundles.has(each)) continue;
        const version = versionInName(each);
        bundles.set(each, { name: each, kind: "missing", version, precedence: precedenceOf(version) });
      }
    }
  }
  const sorted = [...bundles.values()].sort(
    (left, right) => compareNewestFirst(left.precedence, right.precedence) || (left.name < right.name ? -1 : 1),
  );
  const byName = new Map(sorted.map((bundle) => [bundle.name, bundle]));
  const position = new Map(sorted.map(({ name }, index) => [name, index]));
  const newest = (channel: ChannelGraph): number =>
    channel.nodes.reduce((least, { name }) => Math.min(least, position.get(name) ?? least), sorted.length);
  const channels = content.channels.map((channel) => channelGraph(channel, content, byName));
  return {
    packageName: content.name,
    defaultChannel: content.defaultChannel,
    deprecation: content.deprecation,
    bundles: sorted,
    channels: channels.sort(
      (left, right) =>
        Number(right.isDefault) - Number(left.isDefault) ||
        newest(left) - newest(right) ||
        (left.name < right.name ? -1 : 1),
    ),
  };
}
