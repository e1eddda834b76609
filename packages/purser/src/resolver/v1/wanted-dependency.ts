import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { wantedByAnnotation } from "../../apis/v1/labels.ts";
import { isPaused } from "../../apis/v1/paused.ts";
import type { Remedy } from "../../explanation/explanation.ts";
import { shellWord } from "../../explanation/summary.ts";
import { stalledOf } from "../../installation/stalled.ts";
import type { Proposal } from "./dependencies.ts";

/** How far the installation of a required package is. */
export type WantedDependency =
  /** No ClusterExtension has the package yet. */
  | { readonly kind: "new"; readonly name: string; readonly proposal: Proposal }
  | { readonly kind: "coming"; readonly name: string }
  /** It does not go on without a person, or is installed and does not meet the requirement. */
  | { readonly kind: "stuck"; readonly name: string; readonly cause: string; readonly remedy: Remedy };

/** So long after an operator is ready discovery may not show its APIs yet. */
const unsettledMs = 10_000;

/**
 * How far the cluster is with the package that one extension requires; undefined when a person has to choose a name for it, because
 * an extension of another package has its name.
 * @param now milliseconds since the epoch
 */
export function wantedDependency(
  proposal: Proposal,
  requiring: ClusterExtension,
  extensions: readonly ClusterExtension[],
  now: number,
): WantedDependency | undefined {
  const { packageName, version = "any" } = proposal;
  const holder = extensions.find((one) => packageOf(one) === packageName);
  if (holder === undefined) {
    const isTaken = extensions.some(({ metadata }) => metadata.name === packageName);
    return isTaken ? undefined : { kind: "new", name: packageName, proposal };
  }
  const { metadata, status } = holder;
  const name = metadata.name ?? "";
  const reference = `ext/${shellWord(name)}`;
  const stuck = (cause: string, summary: string, command: string, flags = ""): WantedDependency => ({
    kind: "stuck",
    name,
    cause,
    remedy: { summary, command: `purser ${command} ${reference}${flags}` },
  });
  if (metadata.deletionTimestamp !== undefined) return { kind: "coming", name };
  if (isPaused(holder)) return stuck("it is paused", "Resume it", "resume");
  if (status?.install === undefined && wantersOf(requiring, extensions).has(name))
    return stuck(`it requires ${requiring.metadata.name} itself`, "See what it requires", "explain");
  const stall = stalledOf(status?.conditions);
  if (stall !== undefined) return stuck(stall.blockedBy, "See why", "explain");
  const ready = findCondition(status?.conditions, "Ready");
  const isSettled = ready?.status === "True" && now - Date.parse(ready.lastTransitionTime ?? "") >= unsettledMs;
  if (isSettled) {
    const cause = `${status?.install?.bundle.name ?? name} does not provide it`;
    // What no version is asked of is upgraded by itself, unless something holds it back.
    return holder.spec?.source.catalog?.version === undefined
      ? stuck(cause, "See why it is not upgraded", "explain")
      : stuck(cause, "Let it be upgraded", "set", ` --version ${shellWord(version)}`);
  }
  return { kind: "coming", name };
}

const packageOf = ({ spec }: ClusterExtension): string | undefined => spec?.source.catalog?.packageName;

/** The names of the extensions for which an extension was created: the one that wants it, the one that wants that one, and so on. */
function wantersOf(extension: ClusterExtension, extensions: readonly ClusterExtension[]): ReadonlySet<string> {
  const found = new Set<string>();
  let name = extension.metadata.annotations?.[wantedByAnnotation];
  while (name !== undefined && !found.has(name)) {
    found.add(name);
    const next = name;
    name = extensions.find(({ metadata }) => metadata.name === next)?.metadata.annotations?.[wantedByAnnotation];
  }
  return found;
}
