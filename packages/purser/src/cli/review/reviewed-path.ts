import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import { type BundleToReview, reviewBundle, type ReviewedInstallation } from "../../engine/review/review-bundle.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { failed, type Result, done } from "@purser/kubernetes/result";
import type { ChangePlan, ReviewedBundle, ReviewInput } from "../../review/change-plan/change-plan.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { sizedPlan } from "./image-sizes.ts";
import { reviewChanges } from "../../rollout/review/review-changes.ts";

/** Where the bundles of a path come from, and what they are looked at for. */
export interface PathSource {
  readonly index: CatalogIndex;
  /** For pull secrets. */
  readonly source?: CatalogSource | undefined;
  readonly installation: ReviewedInstallation;
  readonly bundles: OpenedWorld["bundles"];
  /** Undefined: the versions are compared with one another only. */
  readonly present?: OpenedWorld["present"];
}

/** The change plan of a path of bundles, hop by hop and in total. The first bundle is what is installed. */
export async function reviewedPath(
  path: readonly BundleSummary[],
  { index, source, installation, bundles, present }: PathSource,
  rest: Omit<ReviewInput, "from" | "path">,
): Promise<Result<ChangePlan, Explanation>> {
  const read: ReviewedBundle[] = [];
  for (const [place, bundle] of path.entries()) {
    const replaces = path[place - 1]?.name ?? "";
    const wanted: BundleToReview = { bundle, index, replaces, ...(source === undefined ? {} : { source }) };
    const reviewed = await reviewBundle(wanted, installation, bundles);
    if (!reviewed.ok) return reviewed;
    read.push(reviewed.value);
  }
  const [from, first, ...others] = read;
  if (from === undefined || first === undefined) return failed(nothingToDo(from));
  const onCluster = await present?.(
    from.objects,
    [first, ...others].flatMap(({ objects }) => objects),
  );
  const plan = reviewChanges({ ...rest, ...onCluster, from, path: [first, ...others] });
  return done(bundles === undefined ? plan : await sizedPlan(plan, bundles));
}

function nothingToDo(from: ReviewedBundle | undefined): Explanation {
  const at = from?.version ?? "this version";
  return {
    code: "NoUpgradePath",
    summary: `${at} is already the last version of its upgrades`,
    facts: { from: at },
    derivation: [{ relation: "fact", subject: from?.name ?? "", text: "the path has no hop" }],
    remedies: [{ summary: "name an earlier version with --from, or another channel with --channel" }],
  };
}
