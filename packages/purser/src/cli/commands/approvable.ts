import type { KubeClient } from "@purser/kubernetes/kube/client";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { subscriptions } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { readPolicies } from "../../engine/snapshot/snapshot-live.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import { extensionSubject, subscriptionSubject } from "../../policy/installation-holds.ts";
import type { PlanSet } from "../../review/change-plan/plan-set.ts";
import type { Invocation, Outcome } from "../command.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { heldApproval } from "../policy/held-approval.ts";
import { type PolicyVerdict, verdictOn } from "../policy/policy-verdict.ts";
import { approveReviewed, reviewedPlan, waitingPlan } from "../review/approve-reviewed.ts";
import { approveExtension, waitingExtension } from "../review/waiting-extension.ts";

/** What waits, and how it is approved. */
export interface Waiting {
  /** `InstallPlan NAMESPACE/NAME` or the bundle of an extension. */
  readonly title: string;
  /** What stands between the approval and the installation. */
  readonly notes?: readonly string[];
  readonly set: PlanSet;
  readonly policy: PolicyVerdict;
  readonly approve: () => Promise<Outcome>;
}

export type Found = Result<Waiting | undefined, Explanation>;

/** What an installation of OLM v0 waits for; undefined when nothing waits. */
export async function waitingInstallPlan(
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

/** What a ClusterExtension waits for; undefined when nothing waits. */
export async function waitingBundle(
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
