import { installPlans, subscriptions } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { Installation } from "../../installation/installation.ts";
import { stalePlanReason } from "../../policy/approved-plan.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { connect } from "../cluster/connect.ts";
import { findInstallation, noInstallation, readInstallations } from "../cluster/installations.ts";
import { type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { shown } from "../output/shown.ts";

/**
 * Calls `work` with the installation that the first argument names, or with the one that waits for the InstallPlan that it names, and
 * that InstallPlan: `NAMESPACE/NAME`, `installplan/NAMESPACE/NAME`, or its name alone where only one namespace has it. A name that is
 * both means the installation. Closes the connection to the cluster afterwards.
 */
export async function withApprovable(
  invocation: Invocation,
  work: (client: KubeClient, installation: Installation, plan: InstallPlan | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  const [name = ""] = invocation.arguments;
  const namespace = textOption(invocation, "namespace");
  const connection = connect(invocation);
  try {
    const { client } = connection;
    const installations = await readInstallations(client, undefined);
    const found = findInstallation(name, installations, namespace);
    if (found.kind === "found") return await work(client, found.installation, undefined);
    const plan = await installPlanNamed(client, name, namespace);
    if (plan === undefined) return noInstallation(name, found.near, "installation or InstallPlan");
    const waiting = await waitingFor(client, plan, installations);
    return "installation" in waiting ? await work(client, waiting.installation, plan) : waiting.outcome;
  } finally {
    connection.close();
  }
}

/** @throws UsageError when several namespaces have an InstallPlan of that name */
async function installPlanNamed(
  client: KubeClient,
  text: string,
  namespace: string | undefined,
): Promise<InstallPlan | undefined> {
  const words = text.replace(/^(installplans?|ip)\//, "").split("/");
  if (words.length > 2) return undefined;
  const [name = "", place = namespace] = words.toReversed();
  const plans = await client.list(installPlans, place === undefined ? {} : { namespace: place });
  const [first, ...others] = plans.filter(({ metadata }) => metadata.name === name);
  if (others.length > 0)
    throw new UsageError(
      `"${text}" names ${others.length + 1} InstallPlans`,
      ...[first, ...others].map((plan) => `${plan?.metadata.namespace}/${name}`),
    );
  return first;
}

type Waiting = { readonly installation: Installation } | { readonly outcome: Outcome };

/** The first installation that waits for the InstallPlan, or what to say when none does. */
async function waitingFor(
  client: KubeClient,
  plan: InstallPlan,
  installations: readonly Installation[],
): Promise<Waiting> {
  const { namespace = "", name = "" } = plan.metadata;
  const subscribed = await client.list(subscriptions, { namespace });
  const pointing = subscribed.filter(({ status }) => status?.installPlanRef?.name === name);
  const [waiting] = pointing.flatMap((one) => installations.filter(isOf(one)));
  if (!isPending(plan)) {
    const state = plan.spec.approved ? `${plan.status?.phase ?? "new"}, approved` : (plan.status?.phase ?? "new");
    const human = shown(`InstallPlan ${namespace}/${name} is not pending approval (${state})`);
    return { outcome: { exitCode: exitCodes.done, human } };
  }
  return waiting === undefined
    ? { outcome: { explanation: superseded(plan, subscribed, installations) } }
    : { installation: waiting };
}

const isOf =
  ({ metadata }: Subscription) =>
  ({ reference }: Installation): boolean =>
    reference === `sub/${metadata.namespace}/${metadata.name}`;

/** Whether it waits for an approval: for the first one, or for another after its changes became others. */
function isPending({ spec, status }: InstallPlan): boolean {
  if (status?.phase !== "RequiresApproval") return false;
  return !spec.approved || status.conditions?.some(({ reason }) => reason === stalePlanReason) === true;
}

/** That no Subscription waits for the InstallPlan any more, with the installations of its operators that have others pending. */
function superseded(
  { metadata: { namespace = "", name = "" }, spec }: InstallPlan,
  subscribed: readonly Subscription[],
  installations: readonly Installation[],
) {
  const pending = subscribed.flatMap((one) =>
    installations.filter(isOf(one)).filter(({ state }) => state === "Approve"),
  );
  return failure(
    "Conflict",
    `No Subscription waits for InstallPlan ${namespace}/${name} any more`,
    [
      ...pending.map(({ reference, why }) => [`purser approve ${reference}`, why] as const),
      [
        `kubectl delete installplan -n ${namespace} ${name}`,
        "delete it: nothing refers to it, and what it would install is not installed without it",
        "objects",
      ],
    ],
    { installPlan: `${namespace}/${name}`, brings: spec.clusterServiceVersionNames.join(", ") },
  );
}
