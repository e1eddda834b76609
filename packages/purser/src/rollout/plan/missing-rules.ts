import { type PolicyRule, uncoveredRules } from "@purser/kubernetes/object/rbac";
import type { InstallerRights } from "../../bundle/installer-rights.ts";

/** What an account may do in the whole cluster, and in each namespace (cluster-wide rules included). */
export interface HeldRights {
  readonly cluster: readonly PolicyRule[];
  readonly namespaces: ReadonlyMap<string, readonly PolicyRule[]>;
}

const mostShown = 8;

/**
 * The sentence about an account that lacks rights; undefined when it has all of them. At most eight rules are named, as
 * `create,patch roles.rbac.authorization.k8s.io in ops`.
 */
export function missingRulesText(
  account: { readonly namespace: string; readonly name: string },
  needed: InstallerRights,
  held: HeldRights,
): string | undefined {
  const missing = [
    ...uncoveredRules(held.cluster, needed.cluster).map((rule) => `${shown(rule)} in the whole cluster`),
    ...[...needed.namespaces].flatMap(([namespace, rules]) =>
      uncoveredRules(held.namespaces.get(namespace) ?? [], rules).map((rule) => `${shown(rule)} in ${namespace}`),
    ),
  ];
  if (missing.length === 0) return undefined;
  const more = missing.length > mostShown ? `; and ${missing.length - mostShown} more` : "";
  return `PermissionDenied: ServiceAccount ${account.namespace}/${account.name} may not ${missing.slice(0, mostShown).join("; ")}${more}. \`purser bundle rights BUNDLE --namespace ${account.namespace} --account ${account.name}\` writes the roles that it needs`;
}

function shown({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  const named = resourceNames.length === 0 ? "" : ` ${resourceNames.join(",")}`;
  const groups = apiGroups.filter((group) => group !== "");
  const what =
    nonResourceURLs.length > 0 ? nonResourceURLs : resources.map((resource) => [resource, ...groups].join("."));
  return `${verbs.join(",")} ${what.join(",")}${named}`;
}
