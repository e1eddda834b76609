import type { NoPath } from "./no-path.ts";
import { explainNoPath } from "./no-path.ts";
import type { Hop, PathRequest } from "./scope.ts";
import { hopOf, reachable, scopeOf } from "./scope.ts";
import { goalOf, unattendedSteps } from "./unattended.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";

export interface FoundPath {
  readonly kind: "path";
  readonly to: string;
  readonly hops: readonly Hop[];
  /** What OLM does when no version is pinned: these hops, or others that do not reach the target. */
  readonly unattended: "follows" | { readonly goesTo: string; readonly hops: readonly Hop[] };
}

export type PathAnswer = FoundPath | NoPath;

/** The path from one version to another under one set of rules, or why there is none and what leads to one. */
export function findPath(graph: UpgradeGraph, request: PathRequest): PathAnswer {
  const { rules, channel, from } = request;
  const scope = scopeOf(graph, rules, channel);
  const to = request.to ?? goalOf(graph, scope, from);
  if (to === undefined) return explainNoPath(graph, scope, request, undefined);
  if (to === from.name) return { kind: "path", to, hops: [], unattended: "follows" };
  const walk = unattendedSteps(graph, scope, from).map(hopOf);
  const arrival = walk.findIndex((hop) => hop.to === to);
  const last = walk.at(-1);
  if (arrival >= 0 && (request.to === undefined || arrival === walk.length - 1))
    return { kind: "path", to, hops: walk.slice(0, arrival + 1), unattended: "follows" };
  const hops = arrival >= 0 ? walk.slice(0, arrival + 1) : reachable(scope, from).get(to);
  if (hops === undefined) return explainNoPath(graph, scope, request, to);
  const elsewhere = last === undefined ? { goesTo: from.name, hops: [] } : { goesTo: last.to, hops: walk };
  return { kind: "path", to, hops, unattended: arrival >= 0 ? "follows" : elsewhere };
}
