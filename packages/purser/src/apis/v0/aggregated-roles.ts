import type { ClusterRole } from "@purser/kubernetes/apis/rbac";

const group = "operators.coreos.com";
const installed = ["clusterserviceversions", "catalogsources", "installplans", "subscriptions"];
const reading = ["get", "list", "watch"];

function aggregated(name: string, into: readonly string[], rules: NonNullable<ClusterRole["rules"]>): ClusterRole {
  const labels = Object.fromEntries(into.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, "true"]));
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name, labels }, rules };
}

/**
 * What `admin`, `edit` and `view` of a namespace allow on the kinds of OLM v0, as OLM's manifests. OperatorGroups are not
 * among what can be written: they decide how far operators reach, which is left to administrators of the cluster.
 */
export const aggregatedRoles: readonly ClusterRole[] = [
  aggregated(
    "aggregate-olm-edit",
    ["admin", "edit"],
    [
      { apiGroups: [group], resources: ["subscriptions"], verbs: ["create", "update", "patch", "delete"] },
      { apiGroups: [group], resources: installed, verbs: ["delete"] },
    ],
  ),
  aggregated(
    "aggregate-olm-view",
    ["admin", "edit", "view"],
    [
      { apiGroups: [group], resources: [...installed, "operatorgroups"], verbs: reading },
      { apiGroups: [`packages.${group}`], resources: ["packagemanifests", "packagemanifests/icon"], verbs: reading },
    ],
  ),
];
