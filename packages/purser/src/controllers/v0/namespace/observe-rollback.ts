import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { ownerLabel } from "../../../apis/v0/labels.ts";
import { referenceText, referenceOf } from "../../../review/change-plan/object-changes.ts";
import { formerCrdFindings } from "../../../review/rollback-plan/former-crds.ts";
import { liveObjects } from "../../../rollout/review/live-objects.ts";
import { readyWorkloads } from "../../../rollout/review/ready-workloads.ts";
import { reviewChanges } from "../../../rollout/review/review-changes.ts";
import { type RollbackDecision, rollbackDecision } from "../../plan/automatic-rollback.ts";
import { type InstallPlanPorts, revisionOfPlan } from "../install-plan/review-install-plan.ts";
import type { UpgradeToLeave } from "./plan/late-upgrades.ts";

/** Whether an upgrade that is past its time goes back. Reads live. */
export async function observeRollback(
  { subscription, late, from, to, fromPlan, toPlan }: UpgradeToLeave,
  ports: InstallPlanPorts,
): Promise<RollbackDecision> {
  const unknown = (problem: string): RollbackDecision =>
    rollbackDecision(late, { changes: { problem }, readyWorkloads: [], findings: [] });
  if (fromPlan === undefined) return unknown(`no InstallPlan that has ended brought ${late.bundle}`);
  if (toPlan === undefined) return unknown(`the InstallPlan that installed ${late.to} does not exist any more`);
  const others = fromPlan.spec.clusterServiceVersionNames.filter((name) => name !== late.bundle);
  if (others.length > 0) return unknown(`InstallPlan ${fromPlan.metadata.name} brought ${others.join(", ")} as well`);
  const [left, former] = [
    await revisionOfPlan(fromPlan, late.bundle, subscription, ports),
    await revisionOfPlan(toPlan, late.to, subscription, ports),
  ];
  if (!left.ok) return unknown(left.problem);
  if (!former.ok) return unknown(former.problem);
  const onCluster = await liveObjects(ports.client, [...left.value.objects, ...former.value.objects]);
  const changes = reviewChanges({
    installation: late.reference,
    options: { api: "v0", automatic: true },
    from: left.value,
    path: [former.value],
    ...onCluster,
    dependencies: [],
  });
  const crds = former.value.objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  const pairs = crds.map((crd) => ({
    former: crd as unknown as CustomResourceDefinition,
    live: onCluster.live.get(referenceText(referenceOf(crd))) as unknown as CustomResourceDefinition | undefined,
  }));
  return rollbackDecision(late, {
    changes,
    readyWorkloads: await readyWorkloads(
      ports.client,
      left.value.objects,
      ({ metadata }) => metadata.labels?.[ownerLabel] === late.bundle,
    ),
    findings: formerCrdFindings(pairs, { left: from, former: to }),
  });
}
