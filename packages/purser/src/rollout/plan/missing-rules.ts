import { type PolicyRule, uncoveredRules } from "@purser/kubernetes/object/rbac";
import type { InstallerRights } from "../../bundle/installer-rights.ts";

/** What an account may do in the whole cluster, and in each namespace (cluster-wide rules included). */
export interface HeldRights {
  readonly cluster: readonly PolicyRule[];
  readonly namespaces: ReadonlyMap<string, readonly PolicyRule[]>;
}

const mostShown = 8;

interface Account {
  readonly namespace: string;
  readonly name: string;
}

/**
 * What an account may not do; undefined when it has all rights. At most eight rules are named, as
 * `create,patch roles.rbac.authorization.k8s.io in ops`.
 */
export function missingRules(account: Account, needed: InstallerRights, held: HeldRights): string | undefined {
  const missing = [
    ...uncoveredRules(held.cluster, needed.cluster).map((rule) => `${shown(rule)} in the whole cluster`),
    ...[...needed.namespaces].flatMap(([namespace, rules]) =>
      uncoveredRules(held.namespaces.get(namespace) ?? [], rules).map((rule) => `${shown(rule)} in ${namespace}`),
    ),
  ];
  if (missing.length === 0) return undefined;
  const more = missing.length > mostShown ? `; and ${missing.length - mostShown} more` : "";
  return `ServiceAccount ${account.namespace}/${account.name} may not ${missing.slice(0, mostShown).join("; ")}${more}`;
}

/** The same as a condition says it, with its code and the command that writes the roles. */
export function missingRulesText(account: Account, needed: InstallerRights, held: HeldRights): string | undefined {
  const missing = missingRules(account, needed, held);
  if (missing === undefined) return undefined;
  const { namespace, name } = account;
  return `PermissionDenied: ${missing}. \`purser bundle rights BUNDLE --namespace ${namespace} --account ${name}\` writes the roles that it needs`;
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
