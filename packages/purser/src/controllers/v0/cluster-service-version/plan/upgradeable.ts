import { findCondition } from "@purser/kubernetes/apis/condition";
import type { OperatorCondition } from "../../../../apis/v0/operator-condition.ts";

/** Why the operator behind this OperatorCondition may not be replaced now, as OLM's text; undefined when it may. */
export function notUpgradeableCause(condition: OperatorCondition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const override = findCondition(condition.spec?.overrides, "Upgradeable");
  if (override !== undefined)
    return override.status === "True" ? undefined : `the operator is not upgradeable: ${override.message}`;
  // What the operator has just reported in `v2` counts also before the status repeats it.
  const reported =
    findCondition(condition.status?.conditions, "Upgradeable") ??
    findCondition(condition.spec?.conditions, "Upgradeable");
  if (reported === undefined) return undefined;
  if (reported.observedGeneration !== undefined && reported.observedGeneration !== condition.metadata.generation)
    return `the operatorcondition status "Upgradeable"="${reported.status}" is outdated`;
  return reported.status === "False" ? `the operator is not upgradeable: ${reported.message}` : undefined;
}
