import { shown } from "../output/shown.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { type PlanSet, staleness } from "../../review/change-plan/plan-set.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { bundlesOption } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { connect } from "../cluster/connect.ts";
import { readInstallations } from "../cluster/installations.ts";
import { printListing } from "../output/listing.ts";
import { formatTable } from "../output/table.ts";
import { installationColumns, installationDocument } from "./list.ts";
import { subscriptions } from "../../apis/olm-resources.ts";
import { readPolicies } from "../../engine/snapshot/snapshot-live.ts";
import { extensionSubject, subscriptionSubject } from "../../policy/installation-holds.ts";
import { plainJson } from "@purser/kubernetes/json";
import { withPolicy, type PolicyVerdict, verdictOn } from "../policy/policy-verdict.ts";
import { approveReviewed, reviewedPlan, stale, waitingPlan } from "../review/approve-reviewed.ts";
import { heldApproval } from "../policy/held-approval.ts";
import { planSetDocument, planSetText } from "../review/change-plan-outcome.ts";
import { approveExtension, waitingExtension } from "../review/waiting-extension.ts";
import { keepReviewed, reviewedInputs } from "../review/reviewed-plans.ts";
import { withApprovable } from "../review/named-install-plan.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";

export const approveCommand: CommandSpec = {
  description: [
    "The changes are those of the steps of the InstallPlan. The approval is recorded as the digest of these changes in the",
    "annotation purser.dev/plan. When an input changed since the plan was shown, nothing is approved: exit code 7. Versions that",
    "an update policy or a hold holds back are not approved: exit code 4.",
  ].join("\n"),
  arguments: [
    {
      name: "installation",
      summary:
        "name, package, sub/NAMESPACE/NAME, ext/NAME, or NAMESPACE/INSTALLPLAN; without it the pending ones are listed, on a terminal to choose from",
    },
  ],
  options: [
    { flags: "--dry-run", summary: "show the changes, approve nothing" },
    {
      flags: "--digest DIGEST",
      summary: "approve only changes with this digest; its first 8 digits are enough",
    },
    { flags: "--reason TEXT", summary: "reason to record with the approval, shown by purser history" },
    { flags: "--full", summary: "show the fields of all objects" },
    {
      ...bundlesOption,
      summary: "directory of bundles that a large InstallPlan refers to, to use instead of pulling images",
    },
  ],
  examples: [
    ["purser approve", "the installations that have changes pending, in all namespaces or in that of -n"],
    ["purser approve operators/kube-green --dry-run", "the changes of the pending plan, and its digest"],
    ["purser approve operators/kube-green --digest sha256:9b2c41d0 --yes", "exactly what was reviewed"],
    ["purser approve operators/kube-green --yes", "approve the pending plan"],
    ["purser approve operators/install-x7k2p", "the same by the name of its InstallPlan"],
  ],
  run: (invocation) =>
    invocation.arguments[0] === undefined
      ? listPending(invocation)
      : withApprovable(invocation, (client, installation, plan) => approve(invocation, client, installation, plan)),
};

async function listPending(invocation: Invocation): Promise<Outcome> {
  const { terminal } = invocation;
  const isChoice = terminal.isInteractive && textOption(invocation, "output") === undefined;
  const unused = ["digest", ...(isChoice ? [] : ["reason"])].find((flag) => invocation.options[flag] !== undefined);
  if (unused !== undefined || flagOption(invocation, "yes"))
    throw new UsageError(
      `--${unused ?? "yes"} approves one installation, and none is named`,
      "purser approve lists them",
    );
  const connection = connect(invocation);
  try {
    const all = await readInstallations(connection.client, textOption(invocation, "namespace"));
    const pending = all.filter(({ state }) => state === "Approve");
    const [first] = pending;
    if (isChoice && first !== undefined) return await choosePending(invocation, connection.client, pending);
    const printed = printListing(invocation, {
      kind: "InstallationList",
      items: pending,
      columns: installationColumns(systemClock.now(), invocation.terminal),
      nameOf: ({ reference }) => reference,
      document: installationDocument,
      footer: first === undefined ? [] : [`${pending.length} pending. purser approve ${first.reference}`],
    });
    const isText = textOption(invocation, "output") !== "name";
    return first === undefined && isText ? { ...printed, human: shown("Nothing is pending approval") } : printed;
  } finally {
    connection.close();
  }
}

/** Shows what is pending as a numbered list, and approves the chosen one after its changes were shown. */
async function choosePending(
  invocation: Invocation,
  client: KubeClient,
  pending: readonly Installation[],
): Promise<Outcome> {
  const { terminal } = invocation;
  const rows = pending.map(({ reference, version, target, why }, at) => [
    `${at + 1}`,
    reference,
    `${version ?? "new"} -> ${target ?? "?"}`,
    why,
  ]);
  terminal.err(...formatTable(["", "INSTALLATION", "CHANGE", "WHY"], rows).split("\n"));
  const answer = (await terminal.ask(`Which one? [1-${pending.length}, Enter for none] `))?.trim() ?? "";
  invocation.signal.throwIfAborted();
  if (answer === "") return { exitCode: exitCodes.done, human: shown("Nothing was approved.") };
  const chosen = /^\d{1,6}$/.test(answer) ? pending[Number(answer) - 1] : undefined;
  if (chosen === undefined)
    throw new UsageError(
      `"${answer}" is not a number from 1 to ${pending.length}`,
      `purser approve ${pending[0]?.reference}`,
    );
  return approve(invocation, client, chosen);
}

/** What waits, and how it is approved. */
interface Waiting {
  /** `InstallPlan NAMESPACE/NAME` or the bundle of an extension. */
  readonly title: string;
  /** What stands between the approval and the installation. */
  readonly notes?: readonly string[];
  readonly set: PlanSet;
  readonly policy: PolicyVerdict;
  readonly approve: () => Promise<Outcome>;
}

type Found = Result<Waiting | undefined, Explanation>;

async function waitingInstallPlan(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
  named: InstallPlan | undefined,
): Promise<Found> {
  const plan = named ?? (await waitingPlan(client, installation));
  const held = await heldApproval(invocation, client, installation, plan);
  if (held !== undefined) return failed(held);
  if (plan === undefined) return done(undefined);
  const set = await reviewedPlan(invocation, client, plan);
  if (!set.ok) return set;
  const { namespace = "", name, version } = installation;
  const subscription = await client.get(subscriptions, { namespace, name });
  const [first] = set.value.plans;
  return done({
    policy: verdictOn(
      await readPolicies(client, namespace),
      subscription && subscriptionSubject(subscription),
      systemClock.now(),
      first && { wanted: first.to, installed: version === undefined ? undefined : { name: version, version } },
    ),
    title: `InstallPlan ${plan.metadata.namespace}/${plan.metadata.name}`,
    set: set.value,
    approve: () => approveReviewed(invocation, client, installation, plan, set.value),
  });
}

async function waitingBundle(
  opened: OpenedWorld,
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
): Promise<Found> {
  const waiting = await waitingExtension(opened, client, installation);
  if (!waiting.ok || waiting.value === undefined) return waiting.ok ? done(undefined) : waiting;
  const { value } = waiting;
  const installed = value.extension.status?.install?.bundle;
  const [plan] = value.set.plans;
  return done({
    policy: verdictOn(
      opened.world.snapshot,
      extensionSubject(value.extension),
      systemClock.now(),
      plan && { wanted: plan.to, installed },
    ),
    title: `${value.bundle} of ${installation.reference}`,
    notes: (value.lacks?.derivation ?? []).map(({ text }) => `${text}, and the cluster has none yet`),
    set: value.set,
    approve: () => approveExtension(invocation, opened, client, installation, value),
  });
}

/** @param named the InstallPlan that the user named; undefined: the one that the installation waits for */
async function approve(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
  named?: InstallPlan,
): Promise<Outcome> {
  if (installation.api === "v0")
    return approveFound(invocation, installation, () => waitingInstallPlan(invocation, client, installation, named));
  const opened = await openWorld(invocation, { bundles: "always" });
  if (!opened.ok) return opened.problem;
  try {
    return await approveFound(invocation, installation, () =>
      waitingBundle(opened.value, invocation, client, installation),
    );
  } finally {
    await opened.value.close();
  }
}

async function approveFound(
  invocation: Invocation,
  installation: Installation,
  find: () => Promise<Found>,
): Promise<Outcome> {
  const { terminal } = invocation;
  const wanted = textOption(invocation, "digest");
  if (wanted !== undefined && !/^(sha256:)?[0-9a-f]{8,64}$/.test(wanted))
    throw new UsageError(
      `--digest "${wanted}" is not a digest`,
      `purser approve ${installation.reference} --dry-run shows it; 8 digits are enough`,
    );
  const found = await find();
  if (!found.ok) return { explanation: found.problem };
  const waiting = found.value;
  if (waiting === undefined)
    return {
      exitCode: exitCodes.done,
      human: shown(`Nothing is pending approval in ${installation.reference} (${installation.state})`),
    };
  const { set } = waiting;
  const text = withPolicy(planSetText(terminal, set, flagOption(invocation, "full")), waiting.policy);
  if (wanted !== undefined) {
    const inputs = await reviewedInputs(terminal.env, wanted);
    const compared = staleness({ digest: wanted, inputs }, set);
    if (compared.kind === "stale") {
      terminal.err(...text.split("\n"));
      return stale(invocation, installation, compared, set);
    }
  }
  await keepReviewed(terminal.env, set);
  const data = { ...planSetDocument(set), policy: plainJson(waiting.policy) };
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: text };
  terminal.err(waiting.title, ...text.split("\n"));
  for (const note of waiting.notes ?? []) terminal.err(`${terminal.symbol("attention")} ${note}`);
  if (!(await confirm(invocation, "Approve it?"))) return notConfirmed("approved");
  return waiting.approve();
}
