import { shortPackage } from "../../upgrade-graph/testing/short-package.ts";
import type { UpgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import { upgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import type { DrawnPath } from "../picture.ts";
import { findPath } from "../../upgrade-graph/upgrade-path.ts";
import { named } from "../../upgrade-graph/testing/short-package.ts";

/** The graph of a package in few words; see `shortPackage`. */
export function shortGraph(text: string): UpgradeGraph {
  return upgradeGraph(shortPackage(text));
}

/** Small, and with every mark but one: head, installed is up to the options. */
export const smallWorld =
  "stable: 1.5.0 r=1.4.0 s=1.4.1 sr=>=1.0.0 <1.4.0; 1.4.1 r=1.4.0; 1.4.0 r=1.3.3; 1.3.3 r=1.3.2; 1.3.2 r=1.3.1; 1.3.1 r=1.3.0; 1.3.0 r=1.2.0 dep | fast: 2.1.0 s=1.5.0; 2.0.3 s=2.0.0 dep";

/** Path of OLM v0 from a version to the head, as it is drawn. */
export function shortPath(graph: UpgradeGraph, from: string): DrawnPath {
  const answer = findPath(graph, { rules: "v0", from: { name: named(from), version: from } });
  return { rules: "v0", from: named(from), to: answer.to, hops: answer.kind === "path" ? answer.hops : [] };
}
