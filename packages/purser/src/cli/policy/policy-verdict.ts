import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Installation } from "../../installation/installation.ts";
import { decidingPolicies } from "../../policy/effective-policy.ts";
import { ruleWords } from "./policy-list.ts";
import { policySubjectOf } from "./policy-subject.ts";

/** What update policies say of an installation. */
export interface PolicyVerdict {
  /** The policies that decide, each with its rules as words; several of `tied` decide nothing. */
  readonly policies: readonly { readonly reference: string; readonly rules: string; readonly tied: boolean }[];
  /** Why it is not upgraded now; undefined when nothing holds it back. */
  readonly held?: string;
}

/** @param held the sentence of the policy that keeps it from being upgraded */
export function policyVerdict(
  world: DecisionWorld,
  installation: Installation,
  held: string | undefined,
): PolicyVerdict {
  const subject = policySubjectOf(world, installation);
  const deciding = subject === undefined ? [] : decidingPolicies(world.snapshot, subject, world.now ?? 0);
  return {
    policies: deciding.flatMap((one) =>
      (one.kind === "one" ? [one.policy] : one.policies).map(({ reference, spec }) => ({
        reference,
        rules: ruleWords(spec),
        tied: one.kind === "tied",
      })),
    ),
    ...(held === undefined ? {} : { held }),
  };
}

/** The verdict as lines of a plan. */
export function verdictLines({ policies, held }: PolicyVerdict): readonly string[] {
  if (policies.length === 0) return ["Policy: no update policy selects it"];
  const names = policies.map(
    ({ reference, rules, tied }) => `${reference} (${tied ? "tied, decides nothing; " : ""}${rules})`,
  );
  return [`Policy: ${names.join(" and ")}`, ...(held === undefined ? [] : [`  ${held}`])];
}
