import { takeoverSeverities, type TakeoverFinding } from "./finding.ts";
import { catalogFindings } from "./catalog-findings.ts";
import { installPlanFindings } from "./install-plan-findings.ts";
import { leftoverFindings } from "./leftover-findings.ts";
import { managerFindings } from "./manager-findings.ts";
import { operatorFindings } from "./operator-findings.ts";
import type { TakeoverWorld } from "./takeover-world.ts";
import { tenancyFindings } from "./tenancy-findings.ts";

/** What would differ when Purser took over the cluster at `now` (epoch milliseconds): blockers first, then by subject. */
export function takeoverFindings(world: TakeoverWorld, now: number): readonly TakeoverFinding[] {
  const found = [
    ...managerFindings(world, now),
    ...operatorFindings(world, now),
    ...installPlanFindings(world),
    ...catalogFindings(world),
    ...tenancyFindings(world),
    ...leftoverFindings(world),
  ];
  return takeoverSeverities.flatMap((severity) => found.filter((finding) => finding.severity === severity));
}
