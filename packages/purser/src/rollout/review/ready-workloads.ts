import type { Deployment } from "@purser/kubernetes/apis/apps";
import { deployments, replicaSets } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { referenceOf } from "../../review/change-plan/object-changes.ts";

const revisionOfDeployment = "deployment.kubernetes.io/revision";

/**
 * The Deployments among the objects whose newest pod template had a ready pod, as `NAMESPACE/NAME`.
 * @param isRolledOut whether the live Deployment is that of the objects already; by default it is
 */
export async function readyWorkloads(
  client: ObjectReader,
  objects: readonly JsonObject[],
  isRolledOut: (live: Deployment) => boolean = () => true,
): Promise<readonly string[]> {
  const ready: string[] = [];
  for (const object of objects) {
    const { kind, namespace = "", name } = referenceOf(object);
    if (kind !== "Deployment") continue;
    const live = await client.get(deployments, { namespace, name });
    if (live === undefined || !isRolledOut(live)) continue;
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
