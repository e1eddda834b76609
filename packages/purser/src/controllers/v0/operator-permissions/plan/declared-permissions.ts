import type { PolicyRule, Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { permissionsOf } from "../../../../bundle/csv-permissions.ts";
import { derivedOnce } from "../../../../derived-once.ts";
import { type OwnPermissions, sameRules } from "./granted-roles.ts";

/** The rules of a CSV's `permissions` by the name of their Role, and the accounts that hold them. */
interface DeclaredPermissions {
  readonly rules: ReadonlyMap<string, readonly PolicyRule[]>;
  readonly accounts: ReadonlySet<string>;
}

const declaredOnce = derivedOnce(declaredBy, () => "");

function declaredBy(csv: ClusterServiceVersion): DeclaredPermissions {
  const made = permissionsOf(csv);
  const rules = new Map<string, readonly PolicyRule[]>();
  for (const { type, object } of (made.ok ? made.value : []).flatMap(({ objects }) => objects))
    if (type === "Role") {
      const role = object as unknown as Role;
      rules.set(role.metadata.name ?? "", role.rules ?? []);
    }
  const accounts = new Set((csv.spec.install.spec?.permissions ?? []).map((granted) => granted.serviceAccountName));
  return { rules, accounts };
}

/**
 * What of an operator's own permissions may be repeated elsewhere: the rules that the CSV declares, for the accounts that it
 * names, with OLM's labels. Whoever may write Roles in one namespace could otherwise extend them to others, and by labels that
 * ClusterRoles are aggregated by, to everybody.
 */
export function declaredOnly(csv: ClusterServiceVersion, { roles, roleBindings }: OwnPermissions): OwnPermissions {
  const { rules, accounts } = declaredOnce(csv, undefined);
  const trusted = roles.flatMap((role): readonly Role[] => {
    const declared =
      rules.get(role.metadata.name ?? "") ?? [...rules.values()].find((known) => sameRules(known, role.rules));
    return declared === undefined ? [] : [{ ...role, metadata: withOlmLabels(role), rules: declared }];
  });
  const names = new Set(trusted.map(({ metadata }) => metadata.name));
  return {
    roles: trusted,
    roleBindings: roleBindings.flatMap((binding): readonly RoleBinding[] => {
      const own = binding.metadata.namespace;
      const subjects = (binding.subjects ?? []).filter(
        ({ kind, name, namespace = own }) => kind === "ServiceAccount" && namespace === own && accounts.has(name),
      );
      const isTrusted = binding.roleRef.kind === "Role" && names.has(binding.roleRef.name) && subjects.length > 0;
      return isTrusted ? [{ ...binding, metadata: withOlmLabels(binding), subjects }] : [];
    }),
  };
}

function withOlmLabels({ metadata }: Role | RoleBinding): Role["metadata"] {
  const isOlms = (key: string): boolean => /^(?:olm\.(?!opgroup)|operators\.coreos\.com[/])/.test(key);
  const labels = Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => isOlms(key)));
  return { ...metadata, labels };
}
