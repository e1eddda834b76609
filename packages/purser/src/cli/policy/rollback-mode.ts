import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Installation } from "../../installation/installation.ts";
import { decidingPolicies } from "../../policy/effective-policy.ts";
import type { RollbackWorld } from "../../review/rollback-plan/rollback-plan.ts";
import { policySubjectOf } from "./policy-subject.ts";

const strictness = ["Checked", "BeforeReady", "Never"] as const;

/** The strictest mode of the policies that decide, that of the cluster and that of the namespace; undefined where none has one. */
export function rollbackModeOf(world: DecisionWorld, installation: Installation): RollbackWorld["policy"] {
  const { snapshot, now = 0 } = world;
  const subject = policySubjectOf(world, installation);
  if (subject === undefined) return undefined;
  const modes = decidingPolicies(snapshot, subject, now).flatMap((effective) => {
    const { reference, spec } = effective.kind === "one" ? effective.policy : { reference: "", spec: {} };
    return spec.rollback === undefined ? [] : [{ reference, mode: spec.rollback }];
  });
  return modes.toSorted((left, right) => strictness.indexOf(right.mode) - strictness.indexOf(left.mode))[0];
}
