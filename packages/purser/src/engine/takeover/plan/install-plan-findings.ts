import { objectText, type TakeoverFinding } from "./finding.ts";
import type { OpenInstallPlan, TakeoverWorld } from "./takeover-world.ts";

/** InstallPlans that were made before and end after the takeover. */
export function installPlanFindings({ installPlans }: TakeoverWorld): readonly TakeoverFinding[] {
  return installPlans.map(findingOf);
}

function findingOf({ plan, unreadable }: OpenInstallPlan): TakeoverFinding {
  const object = objectText("InstallPlan", plan.metadata);
  const { namespace = "", name = "" } = plan.metadata;
  const remedy = `kubectl -n ${namespace} delete installplan ${name}`;
  if (unreadable !== undefined)
    return {
      code: "InstallPlanUnreadable",
      severity: "change",
      object,
      summary: `cannot continue: ${unreadable}`,
      remedy,
    };
  const steps = plan.status?.plan ?? [];
  if (steps.length === 0 && (plan.status?.bundleLookups ?? []).length === 0)
    return {
      code: "InstallPlanUnreadable",
      severity: "change",
      object,
      summary: "has no steps: the process that created it ended before it wrote them",
      remedy,
    };
  const left = steps.filter(({ status }) => status !== "Created" && status !== "Present").length;
  const names = plan.spec.clusterServiceVersionNames.join(", ");
  return {
    code: "InstallPlanContinues",
    severity: "note",
    object,
    summary: plan.spec.approved
      ? `continues with ${left} of ${steps.length} steps for ${names}`
      : `stays pending approval for ${names}`,
  };
}
