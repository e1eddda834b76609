import { shown } from "../output/shown.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { namesDigest, staleness } from "../../review/change-plan/plan-set.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { bundlesOption } from "../settings/shared-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { connect } from "../cluster/connect.ts";
import { findInstallation, readInstallations } from "../cluster/installations.ts";
import { printListing } from "../output/listing.ts";
import { formatTable } from "../output/table.ts";
import { installationColumns, installationDocument } from "./list.ts";
import { plainJson } from "@purser/kubernetes/json";
import { withPolicy } from "../policy/policy-verdict.ts";
import { stale } from "../review/approve-reviewed.ts";
import { planSetDocument, planSetText } from "../review/change-plan-outcome.ts";
import { keepReviewed, reviewedInputs } from "../review/reviewed-plans.ts";
import { withApprovable } from "../review/named-install-plan.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { failure } from "../failure.ts";
import { type Found, type Waiting, waitingBundle, waitingInstallPlan } from "./approvable.ts";

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
        "name, package, sub/NAMESPACE/NAME, ext/NAME, NAMESPACE/INSTALLPLAN, or the digest of the plan (its first 8 digits are enough); without it the pending ones are listed, on a terminal to choose from",
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
    ["purser approve 9b2c41d0", "the pending plan with this digest, whatever it is for"],
    ["purser approve operators/kube-green --yes", "approve the pending plan"],
    ["purser approve operators/install-x7k2p", "the same by the name of its InstallPlan"],
  ],
  run: (invocation) => {
    const [name] = invocation.arguments;
    if (name === undefined) return listPending(invocation);
    if (digestText.test(name)) return approveDigest(invocation, name);
    return approveNamed(invocation);
  },
};

/** A digest, or the start of one. */
const digestText = /^(sha256:)?[0-9a-f]{8,64}$/;

const approveNamed = (invocation: Invocation): Promise<Outcome> =>
  withApprovable(invocation, (client, installation, plan) => approve(invocation, client, installation, plan));

/** Approves the pending plan that has the digest. An installation of that name comes first. */
async function approveDigest(invocation: Invocation, digest: string): Promise<Outcome> {
  if (textOption(invocation, "digest") !== undefined)
    throw new UsageError("the argument is the digest already", "leave --digest out");
  const namespace = textOption(invocation, "namespace");
  const connection = connect(invocation);
  try {
    const { client } = connection;
    const all = await readInstallations(client, undefined);
    if (findInstallation(digest, all, namespace).kind === "found") return await approveNamed(invocation);
    const pending = all.filter(
      (one) => one.state === "Approve" && (namespace === undefined || one.api === "v1" || one.namespace === namespace),
    );
    const opened = pending.some(({ api }) => api === "v1")
      ? await openWorld(invocation, { bundles: "always", connection })
      : undefined;
    if (opened?.ok === false) return opened.problem;
    try {
      const matching = await pendingWith(invocation, client, { digest, pending, opened: opened?.value });
      const [first, ...others] = matching;
      if (first === undefined) return await noPlan(invocation, digest);
      if (others.length > 0)
        throw new UsageError(
          `"${digest}" is the start of ${matching.length} digests`,
          ...matching.map(({ installation, waiting }) => `${installation.reference} ${waiting.set.digest}`),
        );
      const { installation, waiting } = first;
      const named = { ...invocation, options: { ...invocation.options, digest: waiting.set.digest } };
      return await approveFound(named, installation, () => Promise.resolve({ ok: true, value: waiting }));
    } finally {
      await opened?.value.close();
    }
  } finally {
    connection.close();
  }
}

interface Pending {
  readonly digest: string;
  readonly pending: readonly Installation[];
  /** Undefined when no ClusterExtension is pending. */
  readonly opened: OpenedWorld | undefined;
}

/** What waits with a digest that starts so. What cannot be read, or may not be approved, has none. */
async function pendingWith(
  invocation: Invocation,
  client: KubeClient,
  { digest, pending, opened }: Pending,
): Promise<readonly { readonly installation: Installation; readonly waiting: Waiting }[]> {
  const matching = [];
  for (const installation of pending) {
    const found =
      installation.api === "v0"
        ? await waitingInstallPlan(invocation, client, installation, undefined)
        : opened && (await waitingBundle(opened, invocation, client, installation));
    const waiting = found?.ok === true ? found.value : undefined;
    if (waiting !== undefined && namesDigest(digest, waiting.set.digest)) matching.push({ installation, waiting });
  }
  return matching;
}

/** That no pending plan has the digest: it is stale when this machine showed such a plan. */
async function noPlan({ terminal }: Invocation, digest: string): Promise<Outcome> {
  const known = await reviewedInputs(terminal.env, digest);
  const ways = [["purser approve", "list what is pending"]] as const;
  return {
    explanation:
      known === undefined
        ? failure("NotFound", `No pending plan has the digest ${digest}`, ways, { digest })
        : failure("Conflict", `Nothing was approved: no pending plan has the digest ${digest} any more`, ways, {
            digest,
          }),
  };
}

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
  if (wanted !== undefined && !digestText.test(wanted))
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
      return stale(invocation, installation, { ...compared, seen: wanted }, set);
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
