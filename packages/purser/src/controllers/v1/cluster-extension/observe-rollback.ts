import { liveObjects } from "../../../rollout/review/live-objects.ts";
import { readyWorkloads } from "../../../rollout/review/ready-workloads.ts";
import { reviewChanges } from "../../../rollout/review/review-changes.ts";
import { installedVersion } from "../../../rollout/review/review-extension.ts";
import { type AutomaticRollback, rollbackDecision } from "../../plan/automatic-rollback.ts";
import type { Surroundings } from "../../surroundings.ts";
import { lateUpgrade, rollbackTime, type RollingUpgrade } from "./plan/roll-back.ts";

/** Whether an upgrade goes back by itself. Reads live, and only once its time is over. */
export async function observeRollback(
  upgrade: RollingUpgrade,
  { client }: Surroundings,
): Promise<AutomaticRollback | undefined> {
  const time = rollbackTime(upgrade);
  if (time !== "past") return time;
  const late = lateUpgrade(upgrade);
  const unknown = (problem: string) =>
    rollbackDecision(late, { changes: { problem }, readyWorkloads: [], findings: [] });
  const { extension, installed, rolling } = upgrade;
  const [from, to] = [await installedVersion(rolling, client), await installedVersion(installed, client)];
  if (!from.ok) return unknown(from.problem);
  if (!to.ok) return unknown(to.problem);
  const onCluster = await liveObjects(client, [...from.value.objects, ...to.value.objects]);
  const changes = reviewChanges({
    installation: `ext/${extension.metadata.name}`,
    options: { api: "v1", name: extension.metadata.name ?? "" },
    from: from.value,
    path: [to.value],
    ...onCluster,
    dependencies: [],
  });
  const findings = changes.total.crds.flatMap(({ name, findings: found }) => found.map((text) => `${name}: ${text}`));
  return rollbackDecision(late, {
    changes,
    readyWorkloads: await readyWorkloads(client, from.value.objects),
    findings,
  });
}
