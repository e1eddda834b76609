import { findCondition } from "@purser/kubernetes/apis/condition";
import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { ExtensionOutcome } from "../../../../resolver/v1/outcome.ts";
import { bundleOf } from "./revision-state.ts";

/**
 * Why a roll-out may be left before it ends. `asked`: the extension no longer asks for its bundle. `stuck`: it is past its
 * deadline or blocked, so that a newer bundle may follow.
 */
export type ReasonToLeave = "asked" | "stuck";

/** @param isAdmitted whether the roll-out's bundle is still what the extension asks for */
export function reasonToLeave({ status }: ClusterObjectSet, isAdmitted: boolean): ReasonToLeave | undefined {
  if (!isAdmitted) return "asked";
  const progress = findCondition(status?.conditions, "Progressing")?.reason;
  return progress === "ProgressDeadlineExceeded" || progress === "Blocked" ? "stuck" : undefined;
}

/**
 * The resolution that replaces a roll-out; undefined when it goes on.
 * @param fromInstalled what the extension would get if the roll-out had not begun
 * @param fromRollingOut what may follow the bundle that is rolled out, by its upgrade edges
 */
export function successorOf(
  rolling: ClusterObjectSet,
  reason: ReasonToLeave,
  fromInstalled: ExtensionOutcome,
  fromRollingOut: ExtensionOutcome,
): ExtensionOutcome | undefined {
  const failed = bundleOf(rolling);
  const isOther = (outcome: ExtensionOutcome): boolean =>
    outcome.kind === "resolved" && outcome.metadata.name !== failed.name;
  const isNewer = (outcome: ExtensionOutcome): boolean =>
    isOther(outcome) && outcome.kind === "resolved" && isGreater(outcome.version, failed.version);
  // What was asked for explicitly may be older, such as the bundle that is installed.
  if (reason === "asked")
    return isOther(fromInstalled) ? fromInstalled : isNewer(fromRollingOut) ? fromRollingOut : fromInstalled;
  return [fromInstalled, fromRollingOut].find(isNewer);
}

function isGreater(left: string, right: string): boolean {
  const [a, b] = [parseTolerantVersion(left), parseTolerantVersion(right)];
  return a.ok && b.ok && compareVersions(a.value, b.value) > 0;
}
