import type { InstallPlan } from "../apis/v0/install-plan.ts";
import type { Explanation } from "../explanation/explanation.ts";
import { summaryOf } from "../explanation/summary.ts";
import type { HeldVersions } from "./held-versions.ts";
import type { HoldCode } from "./verdict.ts";

/** Whether the InstallPlan still waits: nothing of it has been written. One without a status has not been made up yet. */
export function hasNotBegun({ status }: InstallPlan): boolean {
  return status?.phase === "" || status?.phase === "Planning" || status?.phase === "RequiresApproval";
}

/** An explanation whose cause is a policy. */
export type HoldExplanation = Explanation & { readonly code: HoldCode };

/** Why an InstallPlan that waits is not carried out whoever approves it; undefined when policies allow all that it brings. */
export function heldInstallPlan(plan: InstallPlan, held: readonly HeldVersions[]): HoldExplanation | undefined {
  if (!hasNotBegun(plan)) return undefined;
  for (const bundle of plan.spec.clusterServiceVersionNames) {
    const hold = held.find(({ bundles }) => bundles.includes(bundle));
    if (hold === undefined) continue;
    const { namespace = "", name = "" } = plan.metadata;
    const text = `${bundle} is held back by ${hold.reason}`;
    return {
      code: hold.code,
      summary: summaryOf(text),
      facts: { installPlan: `${namespace}/${name}`, bundle, reason: hold.reason },
      derivation: [{ relation: "excluded", subject: bundle, text }],
      remedies: [hold.remedy],
    };
  }
  return undefined;
}
