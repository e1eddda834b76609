import { findCondition } from "@purser/kubernetes/apis/condition";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import { planAnnotation } from "../apis/v0/labels.ts";
import type { Subscription } from "../apis/v0/subscription.ts";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import {
  approvedPlanAnnotation,
  bundleNameAnnotation,
  bundleVersionAnnotation,
  revisionApprovalAnnotation,
} from "../apis/v1/labels.ts";
import { rolledBackOf } from "../apis/policy/rolled-back.ts";
import { bundlesOfPlan } from "./plan-bundles.ts";

/**
 * `reverted`: given up before it was ready. `waiting`: nobody approved it yet. `withdrawn`: another one was made before it began.
 */
export type RevisionOutcome = "current" | "replaced" | "installing" | "waiting" | "withdrawn" | "failed" | "reverted";

/** One version that an installation had, has, or is about to get. */
export interface InstallationRevision {
  /** Generation of the InstallPlan, or number of the ClusterObjectSet; the newest is the greatest. */
  readonly revision: number;
  /** Name of the InstallPlan or ClusterObjectSet that holds its objects. */
  readonly name: string;
  readonly bundle: string;
  /** "" when it is not recorded. */
  readonly version: string;
  readonly outcome: RevisionOutcome;
  /** RFC 3339: when it began; absent before. */
  readonly when?: string;
  /** Until it was installed or failed. */
  readonly tookSeconds?: number;
  /** Who approved it; absent where nobody was asked. */
  readonly approvedBy?: string;
  /** Of the changes that were approved. */
  readonly plan?: string;
}

/**
 * The revisions of a Subscription that still exist, the newest first: the InstallPlans that brought its package.
 * @param approverOf who approved an InstallPlan, as far as its fields say
 */
export function subscriptionRevisions(
  subscription: Subscription,
  plans: readonly InstallPlan[],
  approverOf: (plan: InstallPlan) => string,
): readonly InstallationRevision[] {
  const { metadata, spec, status } = subscription;
  const own = plans.flatMap((plan) => {
    if (plan.metadata.namespace !== metadata.namespace) return [];
    const bundles = bundlesOfPlan(plan);
    const bundle = bundles.find(({ packageName }) => packageName === spec.name);
    return bundle === undefined ? [] : [{ plan, bundle }];
  });
  const newestFirst = own.toSorted((left, right) => generationOf(right.plan) - generationOf(left.plan));
  const current = newestFirst.find(
    ({ plan, bundle }) =>
      bundle.csv === status?.installedCSV && (plan.status?.phase === "Complete" || plan.status?.phase === "Installing"),
  );
  const back = rolledBackOf(metadata);
  return newestFirst.map(({ plan, bundle }) => {
    const { status: state, spec: wanted } = plan;
    const isLeft =
      bundle.csv === back?.bundle &&
      state?.phase === "Complete" &&
      (state.startTime ?? "") <= back.at &&
      current !== undefined &&
      generationOf(plan) > generationOf(current.plan);
    const outcome = isLeft
      ? "reverted"
      : plan === current?.plan
        ? "current"
        : outcomeOfPlan(plan, status?.installPlanRef?.name === plan.metadata.name);
    const ended = state?.conditions?.find(({ type }) => type === "Installed")?.lastTransitionTime;
    const digest = plan.metadata.annotations?.[planAnnotation];
    const when = state?.startTime;
    const isApproved = wanted.approval === "Manual" && wanted.approved;
    return {
      revision: generationOf(plan),
      name: plan.metadata.name ?? "",
      bundle: bundle.csv,
      version: bundle.version ?? "",
      outcome,
      ...(when === undefined ? {} : { when }),
      ...tookBetween(when, outcome === "current" || outcome === "replaced" || outcome === "failed" ? ended : undefined),
      ...(isApproved ? { approvedBy: approverOf(plan) } : {}),
      ...(digest === undefined ? {} : { plan: digest }),
    };
  });
}

function outcomeOfPlan({ status }: InstallPlan, isAsked: boolean): RevisionOutcome {
  switch (status?.phase) {
    case "Complete":
      return "replaced";
    case "Failed":
      return "failed";
    case "Installing":
      return "installing";
    case undefined:
    case "":
    case "Planning":
    case "RequiresApproval":
      return isAsked ? "waiting" : "withdrawn";
  }
}

const generationOf = ({ spec }: InstallPlan): number => spec.generation ?? 0;

/** The revisions of a ClusterExtension that still exist, the newest first. */
export function extensionRevisions(revisions: readonly ClusterObjectSet[]): readonly InstallationRevision[] {
  const newestFirst = revisions.toSorted((left, right) => (right.spec?.revision ?? 0) - (left.spec?.revision ?? 0));
  const current = newestFirst.find((one) => one.spec?.lifecycleState === "Active" && hasSucceeded(one));
  return newestFirst.map((revision) => {
    const { metadata, spec } = revision;
    const { annotations = {}, creationTimestamp: when } = metadata;
    const succeeded = findCondition(revision.status?.conditions, "Succeeded");
    const [plan, approvedBy] = [annotations[approvedPlanAnnotation], annotations[revisionApprovalAnnotation]];
    return {
      revision: spec?.revision ?? 0,
      name: metadata.name ?? "",
      bundle: annotations[bundleNameAnnotation] ?? "",
      version: annotations[bundleVersionAnnotation] ?? "",
      outcome: revision === current ? "current" : outcomeOfSet(revision),
      ...(when === undefined ? {} : { when }),
      ...tookBetween(when, succeeded?.status === "True" ? succeeded.lastTransitionTime : undefined),
      ...(approvedBy === undefined ? {} : { approvedBy }),
      ...(plan === undefined ? {} : { plan }),
    };
  });
}

function outcomeOfSet(revision: ClusterObjectSet): RevisionOutcome {
  if (hasSucceeded(revision)) return "replaced";
  return revision.spec?.lifecycleState === "Active" ? "installing" : "reverted";
}

function hasSucceeded({ status }: ClusterObjectSet): boolean {
  return findCondition(status?.conditions, "Succeeded")?.status === "True";
}

function tookBetween(from: string | undefined, to: string | undefined): { readonly tookSeconds?: number } {
  const [start, end] = [Date.parse(from ?? ""), Date.parse(to ?? "")];
  return Number.isNaN(start) || Number.isNaN(end) ? {} : { tookSeconds: Math.max(0, Math.round((end - start) / 1000)) };
}
