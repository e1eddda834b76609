import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Installation } from "../../installation/installation.ts";
import { approvalFor } from "../../policy/approval.ts";
import { decidingPolicies, type Policies, type PolicySubject } from "../../policy/effective-policy.ts";
import type { PolicyBundle } from "../../policy/verdict.ts";
import { shown, type Shown } from "../output/shown.ts";
import { ruleWords } from "./policy-list.ts";
import { policySubjectOf } from "./policy-subject.ts";

/** What update policies say of an installation. */
export interface PolicyVerdict {
  /** The policies that decide, each with its rules as words; several of `tied` decide nothing. */
  readonly policies: readonly { readonly reference: string; readonly rules: string; readonly tied: boolean }[];
  /** Why it is not upgraded now; undefined when nothing holds it back. */
  readonly held?: string;
  /** What a person has to approve of the version that is wanted, and who asks for it. */
  readonly approval?: string;
}

/** The version that is wanted, and the one that is installed. */
interface WantedVersion {
  readonly wanted: PolicyBundle;
  readonly installed?: PolicyBundle | undefined;
}

/** What policies say of an installation that may not exist yet; what a version holds is not looked at. */
export function verdictOn(
  policies: Policies,
  subject: PolicySubject | undefined,
  now: number,
  version?: WantedVersion,
): PolicyVerdict {
  const deciding = subject === undefined ? [] : decidingPolicies(policies, subject, now);
  const approval =
    subject === undefined || version === undefined
      ? undefined
      : approvalFor(policies, subject, version.wanted, version.installed, { now });
  return {
    policies: deciding.flatMap((one) =>
      (one.kind === "one" ? [one.policy] : one.policies).map(({ reference, spec }) => ({
        reference,
        rules: ruleWords(spec),
        tied: one.kind === "tied",
      })),
    ),
    ...(approval === undefined ? {} : { approval }),
  };
}

/** @param held the sentence of the policy that keeps it from being upgraded */
export function policyVerdict(
  world: DecisionWorld,
  installation: Installation,
  held: string | undefined,
  version?: WantedVersion,
): PolicyVerdict {
  return {
    ...verdictOn(world.snapshot, policySubjectOf(world, installation), world.now ?? 0, version),
    ...(held === undefined ? {} : { held }),
  };
}

/** The verdict as lines of a plan. */
export function verdictLines({ policies, held, approval }: PolicyVerdict): readonly string[] {
  if (policies.length === 0) return ["Policy: no update policy selects it"];
  const names = policies.map(
    ({ reference, rules, tied }) => `${reference} (${tied ? "tied, decides nothing; " : ""}${rules})`,
  );
  return [
    `Policy: ${names.join(" and ")}`,
    ...(held === undefined ? [] : [`  ${held}`]),
    ...(approval === undefined ? [] : [`  ${approval}`]),
  ];
}

/** A text that ends with the verdict, where a policy decides. */
export const withPolicy = (text: Shown, verdict: PolicyVerdict): Shown =>
  [text, ...decidingLines(verdict).map((line) => shown(line))].join("\n") as Shown;

/** The same before a question, where it says nothing when no policy decides. */
export const decidingLines = (verdict: PolicyVerdict): readonly string[] =>
  verdict.policies.length === 0 ? [] : verdictLines(verdict);
