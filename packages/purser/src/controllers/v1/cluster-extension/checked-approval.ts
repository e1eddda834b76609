import { clusterExtensions } from "../../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { approvedPlanAnnotation } from "../../../apis/v1/labels.ts";
import { approvalFor } from "../../../policy/approval.ts";
import { approverOf } from "../../../policy/approver.ts";
import { approvedPlanOf } from "../../../policy/approved-plan.ts";
import type { KnownUpgrades } from "../../../policy/upgrade-contents.ts";
import type { Policies } from "../../../policy/effective-policy.ts";
import { extensionSubject } from "../../../policy/installation-holds.ts";
import { reviewExtension } from "../../../rollout/review/review-extension.ts";
import type { Surroundings } from "../../surroundings.ts";
import { bundleOf } from "./plan/revision-state.ts";
import type { CheckedApproval, WantedBundle } from "./plan/world.ts";

interface ToApprove {
  readonly extension: ClusterExtension;
  readonly installed: ClusterObjectSet | undefined;
  readonly wanted: WantedBundle;
  readonly policies: Policies;
  /** What upgrades hold, as far as policies had to look at it. */
  readonly upgrades: KnownUpgrades;
  readonly now: number;
}

/**
 * The approval that the wanted bundle needs, with the digest of its changes by the live objects; undefined where no policy asks for
 * one, and while the bundle cannot be rendered. Reads live: once, as what follows is the revision or a stale approval.
 */
export async function checkedApproval(
  { extension, installed, wanted, policies, upgrades, now }: ToApprove,
  { client }: Surroundings,
): Promise<CheckedApproval | undefined> {
  const { bundle, content, registry, rendered } = wanted;
  const approved = approvedPlanOf(extension);
  if (registry === undefined || rendered?.ok !== true || content.kind !== "ready" || approved === undefined)
    return undefined;
  const before = installed === undefined ? undefined : bundleOf(installed);
  if (approvalFor(policies, extensionSubject(extension), bundle, before, { now, upgrades }) === undefined)
    return undefined;
  const { name } = bundle;
  const to = { name, digest: content.digest, bundle: registry };
  const plan = await reviewExtension({ extension, installed, to }, client);
  // What cannot be compared is not what was approved.
  if (!plan.ok) throw new Error(`the changes of ${name} cannot be compared with the approved ones: ${plan.problem}`);
  const live = await client.get(clusterExtensions, { name: extension.metadata.name ?? "" });
  return {
    approved,
    digest: plan.value.digest,
    by: live === undefined ? "someone" : approverOf(live, `f:${approvedPlanAnnotation}`),
  };
}
