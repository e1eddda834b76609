import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { ClusterServiceVersion, StrategyPermission } from "../../apis/v0/cluster-service-version.ts";
import { base36Sha224 } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import { writeTyped } from "../api-types/write-typed.ts";
import { joinName } from "../generated-name.ts";
import { allNamespaces } from "../target-namespaces.ts";

const rbacGroup = "rbac.authorization.k8s.io";
const apiVersion = `${rbacGroup}/v1`;

/** An operator of all namespaces has to see them. */
const watchNamespaces: PolicyRule = {
  verbs: ["get", "list", "watch"],
  apiGroups: [""],
  resources: ["namespaces"],
};

/** The service accounts that a CSV's permissions name, by name; `default` exists in every namespace already. */
export function renderServiceAccounts(csv: ClusterServiceVersion, namespace: string): readonly JsonObject[] {
  const { permissions, clusterPermissions } = csv.spec.install.spec ?? {};
  const names = [...(permissions ?? []), ...(clusterPermissions ?? [])].map(accountOf);
  return [...new Set(names)]
    .filter((name) => name !== "default")
    .toSorted()
    .map((name) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } }));
}

/** Roles in each watched namespace, or ClusterRoles when all are watched. */
export function renderPermissions(
  csv: ClusterServiceVersion,
  namespace: string,
  targets: readonly string[],
): readonly JsonObject[] {
  const { permissions, clusterPermissions } = csv.spec.install.spec ?? {};
  const everywhere = targets.length === 1 && targets[0] === allNamespaces;
  const lifted = everywhere
    ? (permissions ?? []).map((permission) => ({
        ...permission,
        rules: [...(permission.rules ?? []), watchNamespaces],
      }))
    : [];
  const namespaced = everywhere
    ? []
    : targets.flatMap((target) =>
        (permissions ?? []).flatMap((permission) => pair(csv, permission, namespace, target)),
      );
  return [
    ...namespaced,
    ...[...(clusterPermissions ?? []), ...lifted].flatMap((permission) => pair(csv, permission, namespace)),
  ];
}

function accountOf({ serviceAccountName }: StrategyPermission): string {
  return serviceAccountName === "" ? "default" : serviceAccountName;
}

/** @param target the namespace of the role; absent for a cluster role */
function pair(
  csv: ClusterServiceVersion,
  permission: StrategyPermission,
  namespace: string,
  target?: string,
): readonly JsonObject[] {
  const json = writeTyped("csv.StrategyDeploymentPermissions", permission as unknown as JsonObject);
  const account = accountOf(permission);
  const name = joinName(`${csv.metadata.name ?? ""}-${account}`, base36Sha224(`${json}\n`));
  const kind = target === undefined ? "ClusterRole" : "Role";
  const metadata = { name, ...(target === undefined ? {} : { namespace: target }) };
  return [
    { apiVersion, kind, metadata, rules: (permission.rules ?? null) as unknown as JsonObject },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      subjects: [{ kind: "ServiceAccount", name: account, namespace }],
      roleRef: { apiGroup: rbacGroup, kind, name },
    },
  ];
}
