import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { Policies } from "../../../../policy/effective-policy.ts";
import { extensionSubject } from "../../../../policy/installation-holds.ts";
import { rolledBackOf } from "../../../../apis/policy/rolled-back.ts";
import {
  asksForRollback,
  type AutomaticRollback,
  defaultDeadlineMinutes,
  type LateUpgrade,
} from "../../../plan/automatic-rollback.ts";
import { bundleOf } from "./revision-state.ts";

/** An upgrade that is rolled out. */
export interface RollingUpgrade {
  readonly extension: ClusterExtension;
  readonly installed: ClusterObjectSet;
  readonly rolling: ClusterObjectSet;
  readonly policies: Policies;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * How far an upgrade is from going back by itself, before anything else is looked at. Undefined when no policy wants that; a first
 * installation has nothing to go back to.
 */
export function rollbackTime({
  extension,
  installed,
  rolling,
  policies,
  now,
}: RollingUpgrade): "past" | Extract<AutomaticRollback, { readonly kind: "waits" | "going" }> | undefined {
  if (!asksForRollback(policies, extensionSubject(extension), now)) return undefined;
  const bundle = bundleOf(rolling).name;
  if (bundle === bundleOf(installed).name) return undefined;
  if (rolledBackOf(extension.metadata)?.bundle === bundle) return { kind: "going" };
  const isLate = findCondition(rolling.status?.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded";
  const until = Date.parse(rolling.metadata.creationTimestamp ?? "") + deadlineMinutes(extension) * 60_000;
  return isLate || !(until > now) ? "past" : { kind: "waits", until };
}

const deadlineMinutes = ({ spec }: ClusterExtension): number => spec?.progressDeadlineMinutes ?? defaultDeadlineMinutes;

/** The upgrade as one that is past its time. */
export const lateUpgrade = ({ extension, installed, rolling, now }: RollingUpgrade): LateUpgrade => ({
  reference: `ext/${extension.metadata.name}`,
  bundle: bundleOf(rolling).name,
  to: bundleOf(installed).name,
  minutes: deadlineMinutes(extension),
  now,
});
