import { findCondition } from "@purser/kubernetes/apis/condition";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { listOf } from "../explanation/summary.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { approvedPlanAnnotation } from "../apis/v1/labels.ts";

/** What was approved for a ClusterExtension: a bundle, with exactly the changes of this digest. */
export interface ApprovedPlan {
  readonly bundle: string;
  readonly digest: Digest;
}

/** Condition of an extension whose approved changes are no longer those that would be made. */
export const planStaleCondition = "PlanStale";

/** The value of the annotation. */
export const approvedPlanText = ({ bundle, digest }: ApprovedPlan): string => `${bundle}@${digest}`;

/** The approval that an extension carries; undefined without one, and for a text that is none. */
export function approvedPlanOf({ metadata }: Pick<ClusterExtension, "metadata">): ApprovedPlan | undefined {
  const text = metadata.annotations?.[approvedPlanAnnotation] ?? "";
  const at = text.lastIndexOf("@");
  const [bundle, digest] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  return bundle !== "" && isDigest(digest) ? { bundle, digest } : undefined;
}

/** Whether the status says that what was approved is stale; an approval of another digest is a new one. */
export function isStale({ status }: Pick<ClusterExtension, "status">, approved: ApprovedPlan): boolean {
  return findCondition(status?.conditions, planStaleCondition)?.message.startsWith(subjectOf(approved)) === true;
}

/** Reason of the condition `Installed` of an InstallPlan whose approved changes are no longer those that it would make. */
export const stalePlanReason = "PlanStale";

/** The condition's message of an InstallPlan: as {@link staleText}. */
export function staleInstallPlanText(names: readonly string[], approved: string, now: Digest): string {
  return `The changes of ${listOf(names)} that were approved, ${approved}, are now ${now}: nothing is changed. See and approve them: purser approve`;
}

/** The condition's message: what was approved, what would be done now, and the way out. */
export function staleText(approved: ApprovedPlan, now: Digest, reference: string): string {
  return `${subjectOf(approved)} are now ${now}: nothing is changed. See and approve them: purser approve ${reference}`;
}

const subjectOf = ({ bundle, digest }: ApprovedPlan): string =>
  `The changes of ${bundle} that were approved, ${digest},`;
