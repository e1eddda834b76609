import { shortPackage } from "../../upgrade-graph/testing/short-package.ts";
import type { UpgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import { upgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import type { DrawnPath } from "../picture-options.ts";
import { findPath } from "../../upgrade-graph/upgrade-path.ts";
import { named } from "../../upgrade-graph/testing/short-package.ts";

/** The graph of a package in few words; see `shortPackage`. */
export function shortGraph(text: string): UpgradeGraph {
  return upgradeGraph(shortPackage(text));
}

/** Path of OLM v0 from a version to the head, as it is drawn. */
export function shortPath(graph: UpgradeGraph, from: string): DrawnPath {
  const answer = findPath(graph, { rules: "v0", from: { name: named(from), version: from } });
  return { rules: "v0", from: named(from), to: answer.to, hops: answer.kind === "path" ? answer.hops : [] };
}
