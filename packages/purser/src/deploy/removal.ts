import type { InstallValues } from "./values.ts";

const everywhere = "--all --all-namespaces --ignore-not-found";

/**
 * The commands that remove everything, in order, each with what it is for. Purser has to run until its kinds have no objects:
 * it deletes what belongs to them.
 */
export function removalSteps({ namespace, apis }: InstallValues): readonly string[] {
  return [
    "# 1. what is installed, while Purser runs: it removes the objects of each installation",
    ...(apis.v0
      ? [`kubectl delete subscriptions.operators.coreos.com,clusterserviceversions.operators.coreos.com ${everywhere}`]
      : []),
    ...(apis.v1 ? ["kubectl delete clusterextensions.olm.operatorframework.io --all --ignore-not-found"] : []),
    "# 2. catalogs and groups: the ClusterRoles of the groups go with them",
    ...(apis.v0
      ? [`kubectl delete operatorgroups.operators.coreos.com,catalogsources.operators.coreos.com ${everywhere}`]
      : []),
    ...(apis.v1 ? ["kubectl delete clustercatalogs.olm.operatorframework.io --all --ignore-not-found"] : []),
    "# 3. Purser itself, its namespaces and its definitions",
    `purser manifests --namespace ${namespace}${apis.v0 ? (apis.v1 ? "" : " --apis v0") : " --apis v1"} | kubectl delete --ignore-not-found -f -`,
    "# CustomResourceDefinitions of operators stay after 1, because their objects are your data; kubectl get crd lists them",
  ];
}
