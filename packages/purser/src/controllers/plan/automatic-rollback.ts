import { formatTime } from "@purser/kubernetes/clock";
import type { Explanation } from "../../explanation/explanation.ts";
import { listOf, summaryOf } from "../../explanation/summary.ts";
import { decidingPolicies, type Policies, type PolicySubject } from "../../policy/effective-policy.ts";
import type { RolledBack } from "../../apis/policy/rolled-back.ts";
import type { ChangePlan } from "../../review/change-plan/change-plan.ts";

/** Condition of an installation whose upgrade was, or cannot be, rolled back by itself. */
export const rolledBackCondition = "RolledBack";

/** Minutes in which an upgrade has to be ready where its installation does not say. */
export const defaultDeadlineMinutes = 10;

/** What an update policy's `rollback: BeforeReady` means for an upgrade that is rolled out. */
export type AutomaticRollback =
  /** It may still become ready; epoch milliseconds at which that is over. */
  | { readonly kind: "waits"; readonly until: number }
  | RollbackDecision
  /** It went back: what was installed before is rolled out again. */
  | { readonly kind: "going" };

/** About an upgrade that was not ready in time. */
export type RollbackDecision =
  | { readonly kind: "due"; readonly rolledBack: RolledBack }
  /** Going back is not safe. */
  | { readonly kind: "refused"; readonly explanation: Explanation };

/**
 * Whether policies want upgrades to go back by themselves: all that decide and have a `rollback` say `BeforeReady`. One with `Never`
 * or `Checked` forbids it.
 */
export function asksForRollback(policies: Policies, subject: PolicySubject, now: number): boolean {
  const modes = decidingPolicies(policies, subject, now).flatMap((effective) =>
    effective.kind === "one" && effective.policy.spec.rollback !== undefined ? [effective.policy.spec.rollback] : [],
  );
  return modes.length > 0 && modes.every((mode) => mode === "BeforeReady");
}

/** An upgrade that was not ready in time. */
export interface LateUpgrade {
  /** Of the installation, as people name it. */
  readonly reference: string;
  readonly bundle: string;
  /** The bundle that was installed before. */
  readonly to: string;
  readonly minutes: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly uid?: string;
}

/** What is known of going back. */
export interface WayBack {
  /** From what is rolled out to what was installed before, compared with the cluster; the problem is why they are not known. */
  readonly changes: ChangePlan | { readonly problem: string };
  /** Deployments of the new version that had a ready pod. */
  readonly readyWorkloads: readonly string[];
  /** What is not safe about the CustomResourceDefinitions. */
  readonly findings: readonly string[];
}

/** Whether an upgrade that is past its time goes back. It stays where going back may lose something. */
export function rollbackDecision(
  { reference, bundle, to, minutes, now, uid }: LateUpgrade,
  { changes, readyWorkloads, findings }: WayBack,
): RollbackDecision {
  const stays = (
    code: Explanation["code"],
    why: string,
    remedy: Explanation["remedies"][number],
  ): RollbackDecision => ({
    kind: "refused",
    explanation: {
      code,
      summary: summaryOf(`${bundle} does not go back to ${to} by itself: ${why}`),
      facts: { installation: reference, bundle, to },
      derivation: [{ relation: "fact", subject: bundle, text: why }],
      remedies: [remedy],
    },
  });
  const look = { summary: "see what cannot be undone, then decide", command: `purser rollback ${reference} --dry-run` };
  const history = { summary: "see its revisions", command: `purser history ${reference}` };
  if (readyWorkloads.length > 0)
    return stays("RolloutStuck", `${listOf(readyWorkloads)} had a ready pod already`, look);
  if ("problem" in changes) return stays("RolloutStuck", changes.problem, history);
  if (findings.length > 0) return stays("CrdUnsafe", listOf(findings, 2), look);
  return {
    kind: "due",
    rolledBack: {
      bundle,
      to,
      at: formatTime(now),
      plan: changes.digest,
      because: `not ready within ${minutes} minutes`,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}
