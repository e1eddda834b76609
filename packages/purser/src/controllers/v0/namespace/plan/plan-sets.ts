import type { Explanation } from "../../../../explanation/explanation.ts";
import { conditionText } from "../../../../explanation/condition-text.ts";
import type { InstallSet, NamespaceOutcome } from "../../../../resolver/v0/outcome.ts";
import type { InstallRefusal } from "../../../../resolver/v0/install-plan/install-refusal.ts";
import type { InstallWorld } from "../../../../resolver/v0/install-plan/install-world.ts";
import { planInstall, type PlannedInstall } from "../../../../resolver/v0/install-plan/plan-install.ts";
import { approvalsOf } from "./approvals.ts";
import { unfinished } from "./made-install-plan.ts";
import type { MadeInstallPlan, NamespaceAction } from "./namespace-action.ts";
import { type Shown, withCondition } from "./shown-status.ts";
import { endedByPlan } from "./subscription-condition.ts";
import { wantsResolution } from "./subscription-state.ts";
import type { NamespaceWorld } from "./world.ts";

/** What a pass does about some Subscriptions, beside writing their statuses where these differ. */
export interface Verdict {
  readonly shown: readonly Shown[];
  /** Created before statuses are written. */
  readonly plans?: readonly MadeInstallPlan[];
  readonly after?: readonly NamespaceAction[];
  readonly recheckAfterMs?: number;
}

export interface PlannedSet {
  readonly set: Omit<InstallSet, "operators">;
  readonly install: PlannedInstall;
}

/**
 * The InstallPlans of one pass. A set gets one when one of its Subscriptions moves that does not wait for an InstallPlan
 * already; unlike in OLM a neighbour at rest gives no reason to replace an InstallPlan that waits or is carried out.
 */
export function planSets(
  world: NamespaceWorld,
  catalogs: InstallWorld["catalogs"],
  shown: readonly Shown[],
  outcome: Extract<NamespaceOutcome, { readonly kind: "resolved" }>,
  now: number,
): readonly PlannedSet[] {
  const { plansPer, subscriptions, policies, csvs } = world;
  const approvals = (set: Parameters<typeof approvalsOf>[1]): readonly string[] =>
    approvalsOf(policies, set, csvs, { now, upgrades: world.upgrades });
  if (plansPer === "namespace")
    return [
      {
        set: { ...outcome, subscriptions },
        install: planInstall({ ...world, catalogs, approvals: approvals(outcome) }, outcome),
      },
    ];
  const wanting = new Set(
    shown.filter(({ status }) => wantsResolution(status, world)).map(({ subscription }) => subscription.metadata.name),
  );
  const moving = outcome.sets.filter((set) =>
    set.updated.some(({ subscription: { metadata } }) => wanting.has(metadata.name)),
  );
  const planned: PlannedSet[] = [];
  const { installPlans } = world;
  for (const set of moving) {
    // Each InstallPlan has a generation of its own.
    const made = planned.flatMap(({ install }) =>
      install.kind === "complete" && install.plan !== undefined ? [install.plan.object] : [],
    );
    planned.push({
      set,
      install: planInstall(
        { ...world, installPlans: [...installPlans, ...made], catalogs, approvals: approvals(set) },
        set,
      ),
    });
  }
  return planned;
}

/** What is done about the Subscriptions of one set, whose bundles were all asked for. */
export function judgeSet(world: NamespaceWorld, shown: readonly Shown[], { set, install }: PlannedSet): Verdict {
  switch (install.kind) {
    case "refused":
      return unpackingRefused(shown, install.refusal);
    case "incomplete": {
      const unpacking = { type: "BundleUnpacking", status: "True", reason: "UnpackingInProgress" } as const;
      return { shown: withCondition(shown, unpacking, "ResolutionFailed"), recheckAfterMs: 5_000 };
    }
    case "complete": {
      const cleared = atRest(shown);
      if (install.plan === undefined) return { shown: cleared };
      const moving = new Map(
        set.updated.map(({ subscription, currentCSV }) => [subscription.metadata.name, currentCSV]),
      );
      const targets = cleared.flatMap(({ subscription, status }) => {
        const currentCSV = moving.get(subscription.metadata.name);
        return currentCSV === undefined ? [] : [{ subscription, status, currentCSV }];
      });
      const { plan: wanted } = install;
      return {
        shown: cleared.filter(({ subscription }) => !moving.has(subscription.metadata.name)),
        plans: [{ wanted, existing: unfinished(world, wanted), subscriptions: targets }],
      };
    }
  }
}

/** Without the conditions of a resolution or an unpacking that failed. */
export function atRest(shown: readonly Shown[]): readonly Shown[] {
  return withCondition(shown, undefined, ...endedByPlan);
}

/** Retried after a minute unless only a change of an object or a catalog can succeed. */
export function refused(
  shown: readonly Shown[],
  {
    reason,
    explanation,
    upstream,
  }: {
    readonly reason: "ConstraintsNotSatisfiable" | "ErrorPreventedResolution";
    readonly explanation: Explanation;
    readonly upstream: string;
  },
): Verdict {
  const message = `${explanation.code}: ${conditionText(explanation)}\n${upstream}`;
  const news = unaware(shown, "ResolutionFailed", message).length > 0;
  return {
    shown: withCondition(shown, { type: "ResolutionFailed", status: "True", reason, message }),
    after: news ? [{ kind: "announce", reason: "ResolutionFailed", message }] : [],
    ...(reason === "ErrorPreventedResolution" ? { recheckAfterMs: 60_000 } : {}),
  };
}

/** Those that do not show the condition with this message yet, so that each change is one event. */
const unaware = (shown: readonly Shown[], type: string, message: string): readonly Shown[] =>
  shown.filter(
    ({ subscription: { status } }) =>
      status?.conditions?.some((held) => held.type === type && held.message === message) !== true,
  );

/** Retried after five minutes: a bundle directory or image may be repaired without a notice. */
function unpackingRefused(shown: readonly Shown[], { stage, fatal, message, explanation }: InstallRefusal): Verdict {
  if (stage === "resolution")
    return refused(shown, { reason: "ErrorPreventedResolution", explanation, upstream: message });
  const reason = fatal ? "ErrorPreventedUnpacking" : "BundleUnpackFailed";
  const failed = { type: "BundleUnpackFailed", status: "True", reason, message } as const;
  // As in OLM, a bundle that can never become steps is no event.
  const after = fatal
    ? []
    : unaware(shown, failed.type, message).map(
        ({ subscription }) => ({ kind: "announce", reason: "BundleUnpackFailed", message, subscription }) as const,
      );
  return { shown: withCondition(shown, failed, "BundleUnpacking", "ResolutionFailed"), after, recheckAfterMs: 300_000 };
}
