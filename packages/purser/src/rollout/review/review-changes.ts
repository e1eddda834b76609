import { contentDigest } from "@purser/kubernetes/system/content-digest";
import { changePlan, type ChangePlan, type ReviewInput } from "../../review/change-plan/change-plan.ts";

/** {@link changePlan} with the digests of `node:crypto`: the objects of a large operator are megabytes, twenty versions of it more. */
export function reviewChanges(input: ReviewInput): ChangePlan {
  return changePlan({ digestOf: contentDigest, ...input });
}
