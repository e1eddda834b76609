import { ownName, podLabels } from "./labels.ts";
import type { InstallValues } from "./values.ts";

const everywhere = "--all --all-namespaces --ignore-not-found";

/**
 * The commands that remove everything, in order, each with what it is for. Purser has to run until its kinds have no objects:
 * it deletes what belongs to them.
 */
export function removalSteps({ namespace, apis }: InstallValues): readonly string[] {
  return [
    "# 1. installations, while Purser runs: it removes their objects",
    ...(apis.v0
      ? [`kubectl delete subscriptions.operators.coreos.com,clusterserviceversions.operators.coreos.com ${everywhere}`]
      : []),
    ...(apis.v1 ? ["kubectl delete clusterextensions.olm.operatorframework.io --all --ignore-not-found"] : []),
    "# 2. catalogs and OperatorGroups, with the ClusterRoles of the groups",
    ...(apis.v0
      ? [`kubectl delete operatorgroups.operators.coreos.com,catalogsources.operators.coreos.com ${everywhere}`]
      : []),
    ...(apis.v1 ? ["kubectl delete clustercatalogs.olm.operatorframework.io --all --ignore-not-found"] : []),
    "# 3. Purser itself: it removes the package API when it ends, for which it needs its rights",
    `kubectl -n ${namespace} scale deployment ${ownName} --replicas 0`,
    `kubectl -n ${namespace} wait pod --for delete -l ${Object.entries(podLabels)
      .map(([key, value]) => `${key}=${value}`)
      .join(",")}`,
    ...(apis.v0
      ? [
          "# only after a process was killed: without its server, this API prevents the deletion of namespaces",
          "kubectl delete apiservices -l app.kubernetes.io/managed-by=purser",
        ]
      : []),
    "# 4. its namespaces, rights and definitions",
    `purser manifests --namespace ${namespace}${apis.v0 ? (apis.v1 ? "" : " --apis v0") : " --apis v1"} | kubectl delete --ignore-not-found -f -`,
    "# CustomResourceDefinitions of operators are kept, because their objects are your data; kubectl get crd lists them",
  ];
}
