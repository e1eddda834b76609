import { catalogSources } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import { bundleKey } from "../../catalog/content.ts";
import {
  type InstallPlanPorts,
  type ReviewedCsv,
  reviewInstallPlan,
} from "../../controllers/v0/install-plan/review-install-plan.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ChangePlan } from "../../review/change-plan/change-plan.ts";
import type { KeptCatalogs } from "../kept-catalogs.ts";
import type { SnapshotBundles } from "../snapshot/snapshot-bundles.ts";
import { bundleIn, dependenciesAmong } from "./dependencies.ts";
import { deprecationsOf, invalid } from "./review-bundle.ts";

export interface WaitingPlanReview {
  readonly client: KubeClient;
  readonly kept: KeptCatalogs;
  /** Reads the bundles that steps of a large plan refer to. */
  readonly bundles: Pick<SnapshotBundles, "known">;
}

/** What approving an InstallPlan changes, with what the catalogs that are kept on this machine say about its bundles. */
export async function reviewWaitingPlan(
  plan: InstallPlan,
  review: WaitingPlanReview,
): Promise<Result<readonly ChangePlan[], Explanation>> {
  const { client, bundles } = review;
  const reviewed = await reviewInstallPlan(plan, { client, bundlesFor: knownBundles(bundles) });
  if (!reviewed.ok) return failed(invalid(reviewed.problem.csv, reviewed.problem.message));
  const listed = await Promise.all(reviewed.value.map((one) => listedBundle(one, review)));
  const asked = listed.flatMap((found, index) =>
    found === undefined ? [] : [{ isAsked: reviewed.value[index]?.subscription !== undefined, bundle: found.bundle }],
  );
  const needed = dependenciesAmong(asked);
  return done(
    reviewed.value.map(({ plan: changes, csv }, index) => {
      const found = listed[index];
      return {
        ...changes,
        dependencies: needed.filter(({ bundle }) => bundle !== csv),
        deprecations: found === undefined ? [] : deprecationsOf(found.index, found.bundle),
      };
    }),
  );
}

/** Reads the bundles that steps refer to, all before the first is asked for. */
export function knownBundles(bundles: Pick<SnapshotBundles, "known">): InstallPlanPorts["bundlesFor"] {
  return async (requests) => {
    const known = await Promise.all(
      requests.map(async (request) => [bundleKey(request), await bundles.known(request)] as const),
    );
    const byKey = new Map(known);
    return (request) => byKey.get(bundleKey(request)) ?? { state: { kind: "pending", since: 0 }, objects: undefined };
  };
}

/** The bundle in the catalog that the plan took it from, where its content is kept on this machine. */
async function listedBundle(
  { csv, packageName, channel, steps }: ReviewedCsv,
  { client, kept }: WaitingPlanReview,
): Promise<{ readonly index: CatalogIndex; readonly bundle: BundleSummary } | undefined> {
  const [step] = steps;
  if (step === undefined) return undefined;
  const { sourceName, sourceNamespace } = step.resource;
  const source = await client.get(catalogSources, { namespace: sourceNamespace, name: sourceName });
  const index = source === undefined ? undefined : kept.ofSource(source);
  const bundle = index === undefined ? undefined : bundleIn(index, packageName, csv, channel);
  return index === undefined || bundle === undefined ? undefined : { index, bundle };
}
