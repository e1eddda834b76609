import type { NoPath, NoPathCause, WayOut } from "./no-path.ts";
import type { PathRequest } from "./scope.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";
import { counted } from "../explanation/summary.ts";

/** The short name of a bundle: its version, or its name when it has none or shares it with another bundle. */
export function spokenName(graph: UpgradeGraph, name: string): string {
  const version = graph.bundles.find((bundle) => bundle.name === name)?.version;
  if (version === undefined) return name;
  return graph.bundles.filter((bundle) => bundle.version === version).length > 1 ? `${version} (${name})` : version;
}

const listOf = (names: readonly string[], most = 4): string =>
  names.length <= most ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;

/** Why there is no path, as one sentence without its full stop. */
export function causeWords(graph: UpgradeGraph, request: PathRequest, { cause, isDowngrade }: NoPath): string {
  const words = wordsOf(graph, request, cause);
  return isDowngrade ? `${words}; the target is older than what is installed` : words;
}

function wordsOf(graph: UpgradeGraph, { rules, channel, from }: PathRequest, cause: NoPathCause): string {
  const named = (name: string): string => (name === from.name ? (from.version ?? name) : spokenName(graph, name));
  const read = channel ?? (rules === "v0" ? graph.channels[0]?.name : undefined);
  const where = read === undefined ? `any channel of ${graph.packageName}` : `channel ${read}`;
  switch (cause.kind) {
    case "channelRefused":
      return `OLM v0 cannot use channel ${cause.channel}: ${cause.message}`;
    case "nothingOffered":
      return cause.channels.length === 0 ? "there is no channel to upgrade in" : `${where} offers no bundle`;
    case "targetMissing":
      return `${named(cause.target)} is named by entries, but is not in the catalog`;
    case "targetNotInChannel":
      return cause.heldBy.length === 0
        ? `${named(cause.target)} is not in any channel`
        : `${named(cause.target)} is not in ${where}, but in ${listOf(cause.heldBy)}`;
    case "targetPassedOver":
      return cause.skippedBy.length === 0
        ? `${named(cause.target)} is not on the replaces chain of ${where}, so OLM v0 never chooses it`
        : `${listOf(cause.skippedBy.map(named))} skips ${named(cause.target)}, so OLM v0 never chooses it`;
    case "versionUnreadable":
      return `OLM v1 upgrades from semantic versions only, and ${cause.at} has ${cause.version ?? "none"}`;
    case "noEdgeOut":
      return `nothing in ${where} replaces, skips or ranges over ${named(cause.at)}`;
    case "deadEnd":
      return `upgrades end at ${named(cause.at)} (${counted(cause.hops, "hop")}), from which no upgrade reaches the target`;
  }
}

/** A remedy as a sentence without its full stop. */
export function wayOutWords(graph: UpgradeGraph, way: WayOut): string {
  const named = (name: string): string => spokenName(graph, name);
  switch (way.kind) {
    case "channelChange":
      return `channel ${way.channel} leads to ${named(way.to)} in ${counted(way.hops, "hop")}`;
    case "otherRules":
      return `OLM ${way.rules} reaches ${named(way.to)} in ${counted(way.hops, "hop")}`;
    case "declareEdge":
      return `in the catalog: let ${named(way.to)} in channel ${way.channel} skip ${way.from}, or cover its version by skipRange`;
    case "stopSkipping":
      return `in the catalog: remove ${way.target} from the skips of ${listOf(way.skippedBy)}`;
  }
}
