import { findCondition } from "@purser/kubernetes/apis/condition";
import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicy } from "../../apis/policy/update-policy.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { installationsOf } from "../../installation/installation.ts";
import { decidingPolicies, policyReference } from "../../policy/effective-policy.ts";
import { type CommandSpec, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { openWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { policyNotFound, policyTextReference } from "./policy-names.ts";
import { ruleWords, selectionWords } from "./policy-list.ts";
import { policySubjectOf } from "./policy-subject.ts";

type Policy = UpdatePolicy | ClusterUpdatePolicy;

export const policyShowCommand: CommandSpec = {
  arguments: [
    {
      name: "policy",
      summary: "NAME, NAMESPACE/NAME, updatepolicy/NAMESPACE/NAME or clusterupdatepolicy/NAME",
      required: true,
    },
  ],
  options: [],
  examples: [["purser policy show clusterupdatepolicy/production", "its rules, and the installations it decides for"]],
  async run(invocation) {
    const opened = await openWorld(invocation, { bundles: "none" });
    if (!opened.ok) return opened.problem;
    try {
      return show(invocation, opened.value.world);
    } finally {
      await opened.value.close();
    }
  },
};

function show(invocation: Invocation, world: DecisionWorld): Outcome {
  const { snapshot } = world;
  const [wanted = ""] = invocation.arguments;
  const namespace = textOption(invocation, "namespace");
  const all: readonly Policy[] = [...(snapshot.clusterUpdatePolicies ?? []), ...(snapshot.updatePolicies ?? [])];
  const names = (policy: Policy): readonly string[] => {
    const { namespace: where, name = "" } = policy.metadata;
    return [policyTextReference(policy), name, ...(where === undefined ? [] : [`${where}/${name}`])];
  };
  const found = all
    .filter((policy) => names(policy).includes(wanted))
    .filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === undefined || metadata.namespace === namespace,
    );
  const [policy, ...others] = found;
  if (policy === undefined) return { explanation: policyNotFound(wanted, nearestNames(wanted, all.flatMap(names))) };
  if (others.length > 0)
    throw new UsageError(`"${wanted}" names ${found.length} policies`, ...found.map(policyTextReference));
  const decides = decidesFor(world, policy);
  const { spec, status } = policy;
  const deciding = findCondition(status?.conditions, "Deciding");
  const lines: readonly (readonly [string, string])[] = [
    ["selects", selectionWords(spec)],
    ["allows", ruleWords(spec) || "every upgrade"],
    ...(spec.until === undefined ? [] : [["until", spec.until] as const]),
    ...(spec.reason === undefined ? [] : [["reason", spec.reason] as const]),
    ...(deciding?.status === "False" ? [["idle", deciding.message] as const] : []),
    ["decides", decides.length === 0 ? "for no installation" : `for ${decides.join(", ")}`],
  ];
  return {
    exitCode: exitCodes.done,
    data: { ...(plainJson(policy) as JsonObject), decidesFor: decides },
    human: shown(
      policyTextReference(policy),
      ...lines.map(([title, text]) => `  ${title.padEnd(9)} ${text}`),
      ...(decides[0] === undefined ? [] : [`Next: purser policy effective ${decides[0]}`]),
    ),
  };
}

/** The installations for which the policy is the most specific one, alone or with others. */
function decidesFor(world: DecisionWorld, policy: Policy): readonly string[] {
  const { snapshot, now = 0 } = world;
  const { subscriptions, clusterServiceVersions: csvs, installPlans, clusterExtensions: extensions } = snapshot;
  const reference = policyReference(policy);
  return installationsOf({ subscriptions, csvs, installPlans, extensions }).flatMap((one) => {
    const subject = policySubjectOf(world, one);
    const decisions = subject === undefined ? [] : decidingPolicies(snapshot, subject, now);
    const isDeciding = decisions.some((decision) =>
      (decision.kind === "tied" ? decision.policies : [decision.policy]).some((other) => other.reference === reference),
    );
    return isDeciding ? [one.reference] : [];
  });
}
