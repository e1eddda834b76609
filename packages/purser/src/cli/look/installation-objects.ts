import { ownerKindLabel, ownerNameLabel } from "../../apis/v1/labels.ts";
import { clusterObjectSets, clusterServiceVersions, installPlans, operators } from "../../apis/olm-resources.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { readDeployments } from "../cluster/workloads.ts";

/** An object by kind and name. */
export interface NamedObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The objects that say something about an installation: its own, those of its plans and revisions, and its workloads. */
export async function objectsOf(client: KubeClient, installation: Installation): Promise<readonly NamedObject[]> {
  const { api, namespace = "", name, packageName, bundle, target } = installation;
  const workloads = (await readDeployments(client, installation)).map(({ metadata }) => ({
    kind: "Deployment",
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
  }));
  if (api === "v1") {
    const labelSelector = `${ownerKindLabel}=ClusterExtension,${ownerNameLabel}=${name}`;
    const revisions = await client.list(clusterObjectSets, { labelSelector });
    return [
      { kind: "ClusterExtension", name },
      ...revisions.map(({ metadata }) => ({ kind: "ClusterObjectSet", name: metadata.name ?? "" })),
      ...workloads,
    ];
  }
  const csvs = [...new Set([bundle, target])].filter((one) => one !== undefined);
  const plans = (await client.list(installPlans, { namespace })).filter(({ spec }) =>
    spec.clusterServiceVersionNames.some((one) => csvs.includes(one)),
  );
  const operator =
    packageName === "" ? undefined : await client.get(operators, { name: `${packageName}.${namespace}` });
  return [
    { kind: "Subscription", namespace, name },
    ...plans.map(({ metadata }) => ({ kind: "InstallPlan", namespace, name: metadata.name ?? "" })),
    ...csvs.map((csv) => ({ kind: clusterServiceVersions.kind, namespace, name: csv })),
    ...(operator === undefined ? [] : [{ kind: "Operator", name: operator.metadata.name ?? "" }]),
    ...workloads,
  ];
}
