import type { InstalledPackage } from "../../discovery/offers.ts";
import type { Installation } from "../../installation/installation.ts";
import { spokenName } from "../../upgrade-graph/path-words.ts";
import type { UpgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import { findPath } from "../../upgrade-graph/upgrade-path.ts";
import { counted } from "../../explanation/summary.ts";

/** An installation with the channels that it follows. */
export type InstalledHere = InstalledPackage & Installation;

/** What comes next. */
export interface Next {
  /** Behind place and version of the installation. */
  readonly words: string;
  /** "" when there is nothing to do. */
  readonly command: string;
  /** Version at the end of the way, and the number of upgrades; absent without a way. */
  readonly way?: { readonly version: string; readonly hops: number };
}

/** What an installation reaches by upgrades, and the command that shows or allows the next step. */
export function nextOf(one: InstalledHere, graph: UpgradeGraph): Next {
  const { state, reference, bundle, version, channels, api } = one;
  if (state === "Approve") return { words: "  pending approval", command: `purser approve ${reference}` };
  if (state === "Blocked" || state === "Failed" || state === "Orphan" || state === "Degraded")
    return { words: `  ${state}`, command: `purser explain ${reference}` };
  if (state === "Paused") return { words: "  Paused", command: `purser resume ${reference}` };
  if (state === "Held") return { words: "  Held", command: `purser policy effective ${reference}` };
  if (bundle === undefined) return { words: `  ${state}`, command: `purser status ${reference}` };
  const answer = findPath(graph, { rules: api, channel: channels[0], from: { name: bundle, version } });
  if (answer.kind !== "path") return { words: "  no upgrade", command: `purser explain ${reference}` };
  const { hops, to } = answer;
  if (hops.length === 0) return { words: ", the latest of its channel", command: "" };
  const target = spokenName(graph, to);
  return {
    words: `  ->  ${target} in ${counted(hops.length, "hop")}`,
    command: `purser plan ${reference}`,
    way: { version: target, hops: hops.length },
  };
}
