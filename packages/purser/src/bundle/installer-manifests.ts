import type { PolicyRule } from "@purser/kubernetes/object/rbac";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { InstallerRights } from "./installer-rights.ts";

/**
 * How much the account of an installation may do: everything; everything in its namespace and nothing outside; what one bundle
 * needs.
 */
export const tiers = ["cluster-admin", "namespace-bounded", "least-privilege"] as const;
export type Tier = (typeof tiers)[number];

export interface InstallerAccount {
  readonly namespace: string;
  readonly name: string;
}

const rbac = "rbac.authorization.k8s.io";
const apiVersion = `${rbac}/v1`;
const everything: PolicyRule = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };

/** The ServiceAccount with its roles and bindings, as they are applied; the rights count for `least-privilege` only. */
export function installerManifests(
  account: InstallerAccount,
  tier: Tier,
  rights: InstallerRights,
): readonly JsonObject[] {
  const { namespace, name } = account;
  const serviceAccount: JsonObject = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };
  // Cluster-wide names hold the namespace, so that accounts of one name in two namespaces stay apart.
  const wide = `${namespace}-${name}`;
  switch (tier) {
    case "cluster-admin":
      return [serviceAccount, binding(account, { name: wide }, "ClusterRole", "cluster-admin")];
    case "namespace-bounded":
      return [serviceAccount, ...role(account, { name, namespace }, [everything])];
    case "least-privilege":
      return [
        serviceAccount,
        ...[...rights.namespaces].flatMap(([place, rules]) =>
          role(account, { name: place === namespace ? name : wide, namespace: place }, rules),
        ),
        ...(rights.cluster.length === 0 ? [] : role(account, { name: wide }, rights.cluster)),
      ];
  }
}

interface Place {
  readonly name: string;
  /** Absent: in the whole cluster. */
  readonly namespace?: string;
}

function role(account: InstallerAccount, place: Place, rules: readonly PolicyRule[]): readonly JsonObject[] {
  const kind = place.namespace === undefined ? "ClusterRole" : "Role";
  const object = { apiVersion, kind, metadata: { ...place }, rules: rules as unknown as JsonValue };
  return [object, binding(account, place, kind, place.name)];
}

function binding(account: InstallerAccount, place: Place, kind: string, name: string): JsonObject {
  return {
    apiVersion,
    kind: place.namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { ...place },
    roleRef: { apiGroup: rbac, kind, name },
    subjects: [{ kind: "ServiceAccount", ...account }],
  };
}
