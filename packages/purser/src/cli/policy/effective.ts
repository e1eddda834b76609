import { plainJson } from "@purser/kubernetes/json";
import { installationsOf } from "../../installation/installation.ts";
import { decidingPolicies } from "../../policy/effective-policy.ts";
import { type CommandSpec, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { findInstallation, installationArgument, noInstallation } from "../cluster/installations.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import type { Terminal } from "../output/terminal.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { holdsOnInstallation, packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import { approvalFor } from "../../policy/approval.ts";
import { contentsOptions, installedBundle, judgedWorld, newestAllowed } from "./judged-contents.ts";
import { policySubjectOf } from "./policy-subject.ts";
import { newerBundles, newerLines } from "./held-newer.ts";
import { ruleWords } from "./policy-list.ts";

export const policyEffectiveCommand: CommandSpec = {
  arguments: [installationArgument],
  options: [...contentsOptions],
  examples: [["purser policy effective data/etcd", "the deciding policy, less specific ones, and versions held back"]],
  async run(invocation) {
    const opened = await openWorld(invocation);
    if (!opened.ok) return opened.problem;
    try {
      // Awaited here: the connection must not close before the work is done.
      return await effective(invocation, opened.value);
    } finally {
      await opened.value.close();
    }
  },
};

async function effective(invocation: Invocation, opened: OpenedWorld): Promise<Outcome> {
  const { snapshot, now = 0 } = opened.world;
  const { subscriptions, clusterServiceVersions: csvs, installPlans, clusterExtensions: extensions } = snapshot;
  const all = installationsOf({ subscriptions, csvs, installPlans, extensions });
  const [name = ""] = invocation.arguments;
  const found = findInstallation(name, all, textOption(invocation, "namespace"));
  if (found.kind === "missing") return noInstallation(name, found.near);
  const { reference } = found.installation;
  const { world, unread } = await judgedWorld(opened, opened.world, found.installation, new Map());
  const subject = policySubjectOf(world, found.installation);
  if (subject === undefined)
    throw new UsageError(`${reference} has no Subscription, so no policy selects it`, `purser explain ${reference}`);
  const deciding = decidingPolicies(snapshot, subject, now);
  const { held, waiting } = holdsOnInstallation(world, found.installation);
  const allowed = newestAllowed(world, found.installation);
  const approval =
    allowed === undefined
      ? undefined
      : approvalFor(snapshot, subject, allowed, installedBundle(world, found.installation), {
          now,
          upgrades: world.upgrades,
        });
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "EffectivePolicy",
    installation: reference,
    ...(plainJson({ decisions: deciding, held, waiting: waiting ?? null, approval, unread }) as object),
  };
  if (deciding.length === 0)
    return { exitCode: exitCodes.done, data, human: shown(`No update policy selects ${reference}`) };
  const { terminal } = invocation;
  const channels = packagesOfInstallation(world, found.installation).flatMap((one) => one.channels);
  const newer = newerBundles(
    channels.flatMap(({ bundles }) => bundles),
    found.installation.version,
  );
  const isHeld = deciding.some((one) => one.kind === "one" && one.policy.isHold);
  return {
    exitCode: deciding.some(({ kind }) => kind === "tied") ? exitCodes.findings : exitCodes.done,
    data,
    human: shown(
      ...deciding.flatMap((one) => decisionLines(terminal, reference, one)),
      ...(channels.length === 0 ? [] : newerLines(newer, held)),
      ...(approval === undefined || allowed === undefined ? [] : [`  approval  ${allowed.version}: ${approval}`]),
      ...(unread === undefined ? [] : [`  unknown   ${unread}`]),
      ...(isHeld ? [`Next: purser unhold ${reference}`] : []),
    ),
  };
}

function decisionLines(
  terminal: Terminal,
  reference: string,
  decision: ReturnType<typeof decidingPolicies>[number],
): readonly string[] {
  if (decision.kind === "tied")
    return [
      terminal.paint("attention", `No policy decides for ${reference}: several are equally specific`),
      ...decision.policies.map((policy) => `  tied      ${policy.reference}: ${ruleWords(policy.spec)}`),
    ];
  const { policy, lessSpecific } = decision;
  return [
    terminal.paint("strong", `${policy.reference} decides for ${reference}: ${ruleWords(policy.spec)}`),
    ...(policy.spec.until === undefined ? [] : [`  until     ${policy.spec.until}`]),
    ...(policy.spec.reason === undefined ? [] : [`  reason    ${policy.spec.reason}`]),
    ...lessSpecific.map((other) => `  before    ${other.reference}: ${ruleWords(other.spec)}, which is less specific`),
  ];
}
