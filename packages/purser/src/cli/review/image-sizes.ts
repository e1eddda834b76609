import type { SnapshotBundles } from "../../engine/snapshot/snapshot-bundles.ts";
import type { ChangePlan, Changes } from "../../review/change-plan/change-plan.ts";
import { withImageSizes } from "../../review/change-plan/image-changes.ts";

/** The plan with the sizes of new images, where their registries may be asked. Its digest stays: sizes follow from its inputs. */
export async function sizedPlan(plan: ChangePlan, { imageSizes }: SnapshotBundles): Promise<ChangePlan> {
  const all = [plan.total, ...plan.hops.map(({ changes }) => changes)].flatMap(({ images }) => images);
  const added = new Set(all.flatMap(({ image, change }) => (change === "added" ? [image] : [])));
  if (imageSizes === undefined || added.size === 0) return plan;
  const sizes = await imageSizes([...added]);
  const sized = (changes: Changes): Changes => ({ ...changes, images: withImageSizes(changes.images, sizes) });
  return {
    ...plan,
    total: sized(plan.total),
    hops: plan.hops.map((hop) => ({ ...hop, changes: sized(hop.changes) })),
  };
}
