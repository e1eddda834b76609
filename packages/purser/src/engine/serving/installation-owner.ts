import type { OwnerReference } from "@purser/kubernetes/apis/object";
import { clusterRoles } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Log } from "@purser/kubernetes/kube/log";
import { isRefused } from "@purser/kubernetes/kube/refusal";

/**
 * A reference to the ClusterRole of this installation, with which the garbage collector deletes what Purser made beside the
 * manifests: a process whose rights are deleted at the same time cannot. Undefined where there is none of that name.
 */
export async function installationOwner(
  client: KubeClient,
  name: string | undefined,
  log: Log,
): Promise<OwnerReference | undefined> {
  if (name === undefined) return undefined;
  const found = await client.get(clusterRoles, { name }).catch((error: unknown) => {
    if (!isRefused(error, "forbidden")) throw error;
    return undefined;
  });
  if (found?.metadata.uid !== undefined)
    return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name, uid: found.metadata.uid };
  log(
    "warn",
    "the ClusterRole of this installation does not exist or may not be read: the APIService and its Secret have no owner",
    {
      clusterRole: name,
    },
  );
  return undefined;
}
