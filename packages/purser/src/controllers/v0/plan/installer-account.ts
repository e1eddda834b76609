import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";

/**
 * The ServiceAccount of the namespace's OperatorGroup, which limits installs; undefined when the group names none. The
 * problem is OLM's text. A status that names another account than the spec is not followed: it is out of date, or was written
 * by somebody who may not choose the account.
 */
export function installerAccount(
  groups: readonly OperatorGroup[],
): Result<{ readonly namespace: string; readonly name: string } | undefined, string> {
  const managing = groups.filter((group) => (group.status?.namespaces ?? []).length > 0);
  const [group, second] = managing;
  if (group === undefined) return failed("no operator group found that is managing this namespace");
  if (second !== undefined)
    return failed(`more than one operator group(s) are managing this namespace count=${managing.length}`);
  const account = group.spec?.serviceAccountName;
  if (account === undefined || account === "") return done(undefined);
  const reference = group.status?.serviceAccountRef;
  const { namespace = "", name = "" } = group.metadata;
  if (reference?.name !== account || (reference.namespace ?? namespace) !== namespace)
    return failed(`please make sure the service account exists. sa=${account} operatorgroup=${namespace}/${name}`);
  return done({ namespace, name: account });
}
