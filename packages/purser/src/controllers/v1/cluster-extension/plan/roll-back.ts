import { findCondition } from "@purser/kubernetes/apis/condition";
import { formatTime } from "@purser/kubernetes/clock";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { Explanation } from "../../../../explanation/explanation.ts";
import { listOf, summaryOf } from "../../../../explanation/summary.ts";
import { decidingPolicies, type Policies } from "../../../../policy/effective-policy.ts";
import { extensionSubject } from "../../../../policy/installation-holds.ts";
import { type RolledBack, rolledBackOf } from "../../../../policy/rolled-back.ts";
import type { ChangePlan } from "../../../../review/change-plan/change-plan.ts";
import { bundleOf } from "./revision-state.ts";

/** Condition of an extension whose upgrade was, or cannot be, rolled back by itself. */
export const rolledBackCondition = "RolledBack";

/** What an update policy's `rollback: BeforeReady` means for an upgrade that is rolled out. */
export type AutomaticRollback =
  /** It may still become ready; epoch milliseconds at which that is over. */
  | { readonly kind: "waits"; readonly until: number }
  /** It was not ready in time, and goes back. */
  | { readonly kind: "due"; readonly rolledBack: RolledBack }
  /** It went back: what was installed before is rolled out again. */
  | { readonly kind: "going" }
  /** It was not ready in time, and going back is not safe. */
  | { readonly kind: "refused"; readonly explanation: Explanation };

const defaultDeadlineMinutes = 10;

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
 * How far an upgrade is from going back by itself, before anything else is looked at. Undefined when no policy wants that: a policy
 * that decides with `Never` or `Checked` forbids it, and a first installation has nothing to go back to.
 */
export function rollbackTime({
  extension,
  installed,
  rolling,
  policies,
  now,
}: RollingUpgrade): "past" | Extract<AutomaticRollback, { readonly kind: "waits" | "going" }> | undefined {
  const modes = decidingPolicies(policies, extensionSubject(extension), now).flatMap((effective) =>
    effective.kind === "one" && effective.policy.spec.rollback !== undefined ? [effective.policy.spec.rollback] : [],
  );
  if (modes.length === 0 || modes.some((mode) => mode !== "BeforeReady")) return undefined;
  const bundle = bundleOf(rolling).name;
  if (bundle === bundleOf(installed).name) return undefined;
  if (rolledBackOf(extension.metadata)?.bundle === bundle) return { kind: "going" };
  const isLate = findCondition(rolling.status?.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded";
  const until = Date.parse(rolling.metadata.creationTimestamp ?? "") + deadlineMinutes(extension) * 60_000;
  return isLate || !(until > now) ? "past" : { kind: "waits", until };
}

const deadlineMinutes = ({ spec }: ClusterExtension): number => spec?.progressDeadlineMinutes ?? defaultDeadlineMinutes;

/**
 * Whether an upgrade that is past its time goes back. It stays where going back may lose something.
 * @param changes from what is rolled out to what was installed before, compared with the cluster; the problem is why they are not known
 * @param readyWorkloads Deployments of the new version that had a ready pod
 */
export function rollbackDecision(
  { extension, installed, rolling, now }: RollingUpgrade,
  changes: ChangePlan | { readonly problem: string },
  readyWorkloads: readonly string[],
): AutomaticRollback {
  const [bundle, to] = [bundleOf(rolling).name, bundleOf(installed).name];
  const stays = (
    code: Explanation["code"],
    why: string,
    remedy: Explanation["remedies"][number],
  ): AutomaticRollback => ({
    kind: "refused",
    explanation: {
      code,
      summary: summaryOf(`${bundle} does not go back to ${to} by itself: ${why}`),
      facts: { installation: `ext/${extension.metadata.name}`, bundle, to },
      derivation: [{ relation: "fact", subject: bundle, text: why }],
      remedies: [remedy],
    },
  });
  const reference = `ext/${extension.metadata.name}`;
  const look = { summary: "see what cannot be undone, then decide", command: `purser rollback ${reference} --dry-run` };
  const history = { summary: "see its revisions", command: `purser history ${reference}` };
  if (readyWorkloads.length > 0)
    return stays("RolloutStuck", `${listOf(readyWorkloads)} had a ready pod already`, look);
  if ("problem" in changes) return stays("RolloutStuck", changes.problem, history);
  const findings = changes.total.crds.flatMap(({ name, findings: found }) => found.map((text) => `${name}: ${text}`));
  if (findings.length > 0) return stays("CrdUnsafe", listOf(findings, 2), look);
  return {
    kind: "due",
    rolledBack: {
      bundle,
      to,
      at: formatTime(now),
      plan: changes.digest,
      because: `not ready within ${deadlineMinutes(extension)} minutes`,
    },
  };
}
