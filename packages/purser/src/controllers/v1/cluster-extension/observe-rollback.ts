import { deployments, replicaSets } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { ChangePlan } from "../../../review/change-plan/change-plan.ts";
import { referenceOf } from "../../../review/change-plan/object-changes.ts";
import { liveObjects } from "../../../rollout/review/live-objects.ts";
import { installedVersion } from "../../../rollout/review/review-extension.ts";
import type { Surroundings } from "../../surroundings.ts";
import { type AutomaticRollback, rollbackDecision, rollbackTime, type RollingUpgrade } from "./plan/roll-back.ts";
import { reviewChanges } from "../../../rollout/review/review-changes.ts";

const revisionOfDeployment = "deployment.kubernetes.io/revision";

/** Whether an upgrade goes back by itself. Reads live, and only once its time is over. */
export async function observeRollback(
  upgrade: RollingUpgrade,
  { client }: Surroundings,
): Promise<AutomaticRollback | undefined> {
  const time = rollbackTime(upgrade);
  if (time !== "past") return time;
  const { extension, installed, rolling } = upgrade;
  const [from, to] = [await installedVersion(rolling, client), await installedVersion(installed, client)];
  if (!from.ok) return rollbackDecision(upgrade, { problem: from.problem }, []);
  if (!to.ok) return rollbackDecision(upgrade, { problem: to.problem }, []);
  const onCluster = await liveObjects(client, [...from.value.objects, ...to.value.objects]);
  const changes: ChangePlan = reviewChanges({
    installation: `ext/${extension.metadata.name}`,
    options: { api: "v1", name: extension.metadata.name ?? "" },
    from: from.value,
    path: [to.value],
    ...onCluster,
    dependencies: [],
  });
  return rollbackDecision(upgrade, changes, await readyWorkloads(client, from.value.objects));
}

/** The Deployments whose newest pod template had a ready pod, as `NAMESPACE/NAME`. */
async function readyWorkloads(client: KubeClient, objects: readonly JsonObject[]): Promise<readonly string[]> {
  const ready: string[] = [];
  for (const object of objects) {
    const { kind, namespace = "", name } = referenceOf(object);
    if (kind !== "Deployment") continue;
    const live = await client.get(deployments, { namespace, name });
    if (live === undefined) continue;
    const isComplete = live.status?.conditions?.some(
      ({ type, reason }) => type === "Progressing" && reason === "NewReplicaSetAvailable",
    );
    const number = live.metadata.annotations?.[revisionOfDeployment];
    const sets = await client.list(replicaSets, { namespace });
    const newest = sets.find(
      ({ metadata }) =>
        metadata.ownerReferences?.some(({ uid }) => uid === live.metadata.uid) === true &&
        metadata.annotations?.[revisionOfDeployment] === number,
    );
    if (isComplete === true || (newest?.status?.readyReplicas ?? 0) > 0) ready.push(`${namespace}/${name}`);
  }
  return ready;
}
