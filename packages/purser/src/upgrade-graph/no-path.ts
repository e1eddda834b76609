import { parseVersion } from "@purser/kubernetes/version";
import { compareNewestFirst, precedenceOf } from "./bundle-order.ts";
import type { PathRequest, Scope } from "./scope.ts";
import { reachable, scopeOf } from "./scope.ts";
import { goalOf } from "./unattended.ts";
import type { Rules } from "./rules.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";

/** Why upgrades do not lead from one version to another; the closed set. */
export type NoPathCause =
  /** OLM v0 refuses a channel without a unique order; `message` is its text. */
  | { readonly kind: "channelRefused"; readonly channel: string; readonly message: string }
  /** There is nothing to upgrade to. */
  | { readonly kind: "nothingOffered"; readonly channels: readonly string[] }
  /** The target is named by an entry, but the catalog does not hold it. */
  | { readonly kind: "targetMissing"; readonly target: string }
  /** The target is in other channels, or in none. */
  | { readonly kind: "targetNotInChannel"; readonly target: string; readonly heldBy: readonly string[] }
  /** OLM v0 never chooses the target: others skip it, or it is off the chain of replacement. */
  | { readonly kind: "targetPassedOver"; readonly target: string; readonly skippedBy: readonly string[] }
  /** OLM v1 cannot read the version that it starts from. */
  | { readonly kind: "versionUnreadable"; readonly at: string; readonly version: string | undefined }
  /** No entry replaces, skips or covers what is installed. */
  | { readonly kind: "noEdgeOut"; readonly at: string }
  /** Upgrades lead somewhere, and from there to nothing that reaches the target; `at` is the newest that they reach. */
  | { readonly kind: "deadEnd"; readonly at: string; readonly hops: number };

/** A change that leads to the target, or to the target of another channel or of the other rules. */
export type WayOut =
  | { readonly kind: "channelChange"; readonly channel: string; readonly to: string; readonly hops: number }
  | { readonly kind: "otherRules"; readonly rules: Rules; readonly to: string; readonly hops: number }
  /** For the catalog's author: a missing edge. */
  | { readonly kind: "declareEdge"; readonly from: string; readonly to: string; readonly channel: string }
  | { readonly kind: "stopSkipping"; readonly target: string; readonly skippedBy: readonly string[] };

export interface NoPath {
  readonly kind: "noPath";
  /** Undefined when there is nothing to aim at. */
  readonly to: string | undefined;
  readonly cause: NoPathCause;
  /** The target is older than what is installed: upgrades rarely lead down. */
  readonly isDowngrade: boolean;
  readonly waysOut: readonly WayOut[];
}

/** Why there is no path, when there is none. */
export function explainNoPath(graph: UpgradeGraph, scope: Scope, request: PathRequest, to: string | undefined): NoPath {
  const cause = causeOf(graph, scope, request, to);
  return {
    kind: "noPath",
    to,
    cause,
    isDowngrade: isOlder(graph, to, request),
    waysOut: waysOut(graph, scope, request, to, cause),
  };
}

function isOlder(graph: UpgradeGraph, to: string | undefined, { from }: PathRequest): boolean {
  const target = graph.bundles.find(({ name }) => name === to)?.precedence;
  const own = graph.bundles.find(({ name }) => name === from.name)?.precedence ?? precedenceOf(from.version);
  return target !== undefined && own !== undefined && compareNewestFirst(target, own) > 0;
}

function causeOf(graph: UpgradeGraph, scope: Scope, { from }: PathRequest, to: string | undefined): NoPathCause {
  const { rules, channels, entries } = scope;
  const [channel] = channels;
  if (rules === "v0" && channel?.refusal !== undefined)
    return { kind: "channelRefused", channel: channel.name, message: channel.refusal.message };
  if (to === undefined) return { kind: "nothingOffered", channels: channels.map(({ name }) => name) };
  if (graph.bundles.find(({ name }) => name === to)?.kind !== "bundle") return { kind: "targetMissing", target: to };
  const holding = graph.channels.filter((each) => each.entries.some(({ name }) => name === to));
  if (!channels.some((each) => holding.includes(each)))
    return { kind: "targetNotInChannel", target: to, heldBy: holding.map(({ name }) => name) };
  if (rules === "v0" && !entries.some(({ name }) => name === to)) {
    const node = channel?.nodes.find(({ name }) => name === to);
    return { kind: "targetPassedOver", target: to, skippedBy: node?.skippedBy ?? [] };
  }
  if (rules === "v1" && (from.version === undefined || !parseVersion(from.version).ok))
    return { kind: "versionUnreadable", at: from.name, version: from.version };
  const reached = reachable(scope, from);
  if (reached.size === 1) return { kind: "noEdgeOut", at: from.name };
  // The graph's bundles are sorted newest first.
  const end = graph.bundles.find(({ name }) => name !== from.name && reached.has(name))?.name ?? from.name;
  return { kind: "deadEnd", at: end, hops: reached.get(end)?.length ?? 0 };
}

function waysOut(
  graph: UpgradeGraph,
  scope: Scope,
  request: PathRequest,
  to: string | undefined,
  cause: NoPathCause,
): readonly WayOut[] {
  const { from } = request;
  const { rules, channels } = scope;
  const read = new Set(channels.map(({ name }) => name));
  const ways: WayOut[] = [];
  const hopsTo = (
    other: Scope,
    target: string | undefined,
  ): { readonly to: string; readonly hops: number } | undefined => {
    const found = target === undefined ? undefined : reachable(other, from).get(target);
    return target === undefined || found === undefined ? undefined : { to: target, hops: found.length };
  };
  for (const { name } of graph.channels) {
    if (read.has(name)) continue;
    const other = scopeOf(graph, rules, name);
    const way = hopsTo(other, request.to ?? goalOf(graph, other, from));
    // No change of channel is suggested when the target of the other channel is already installed.
    if (way !== undefined && way.hops > 0) ways.push({ kind: "channelChange", channel: name, ...way });
  }
  const otherRules = rules === "v0" ? "v1" : "v0";
  const way = hopsTo(scopeOf(graph, otherRules, request.channel), to);
  if (way !== undefined) ways.push({ kind: "otherRules", rules: otherRules, ...way });
  if (cause.kind === "targetPassedOver" && cause.skippedBy.length > 0)
    ways.push({ kind: "stopSkipping", target: cause.target, skippedBy: cause.skippedBy });
  const [channel] = channels.filter(({ entries }) => entries.some(({ name }) => name === to));
  if ((cause.kind === "noEdgeOut" || cause.kind === "deadEnd") && to !== undefined && channel !== undefined) {
    const at = cause.at;
    if (!isOlder(graph, to, { ...request, from: { name: at, version: versionOf(graph, at, request) } }))
      ways.push({ kind: "declareEdge", from: at, to, channel: channel.name });
  }
  return ways;
}

function versionOf(graph: UpgradeGraph, name: string, { from }: PathRequest): string | undefined {
  return name === from.name ? from.version : graph.bundles.find((bundle) => bundle.name === name)?.version;
}
