import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { ApplyContext } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { installerAccount } from "./plan/installer-account.ts";

/** The writer for the objects of an operator in the namespace of the OperatorGroups. */
export function installingWriter(
  groups: readonly OperatorGroup[],
  context: ApplyContext,
): Result<ObjectWriter, string> {
  const account = installerAccount(groups);
  if (!account.ok) return account;
  return done(account.value === undefined ? context.writer : context.identities.serviceAccount(account.value));
}
