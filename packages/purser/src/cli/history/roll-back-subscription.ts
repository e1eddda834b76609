import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import { plainJson } from "@purser/kubernetes/json";
import { invariant } from "@purser/kubernetes/invariant";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { installPlans, subscriptions } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import { observeUninstall } from "../../engine/review/observe-uninstall.ts";
import { decideNamespace } from "../../engine/snapshot/snapshot-decision.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { summaryOf } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import type { InstallationRevision } from "../../installation/revisions.ts";
import { uninstallPlan } from "../../review/uninstall-plan/uninstall-plan.ts";
import { type Invocation, textOption } from "../command.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { parseDuration } from "../output/duration.ts";
import { refusedWrite } from "../report-refusal.ts";
import { removeInstallation } from "../review/remove-installation.ts";
import { waitForInstallation } from "../wait-for.ts";
import type { RollBack } from "./roll-back-extension.ts";
import { reached } from "./rolled-back.ts";

/**
 * How a Subscription goes back: the operator is removed without its CRDs, then installed anew from the former version. The problem is
 * why the catalog would not bring it; nothing is removed then.
 */
export async function rollBackSubscription(
  { world, kubeVersion, reservedGroups, replacedOperators, plansPer }: OpenedWorld,
  installation: Installation,
  { bundle, version }: InstallationRevision,
): Promise<Result<RollBack, Explanation>> {
  const { namespace = "", name, reference } = installation;
  const { snapshot } = world;
  const own = snapshot.subscriptions.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  invariant(own !== undefined, "a Subscription with revisions has its object");
  const again = startingAt(own, bundle);
  const removed = new Set([own.status?.installedCSV, own.status?.currentCSV]);
  const isOwn = ({ metadata }: { readonly metadata: InstallPlan["metadata"] }): boolean =>
    metadata.namespace === namespace && removed.has(metadata.name);
  const after = {
    ...world,
    snapshot: {
      ...snapshot,
      subscriptions: snapshot.subscriptions.map((one) => (one === own ? again : one)),
      clusterServiceVersions: snapshot.clusterServiceVersions.filter((csv) => !isOwn(csv)),
    },
  };
  const options = { clock: systemClock, kubeVersion, reservedGroups, replacedOperators, plansPer };
  const decision = await decideNamespace(after, namespace, options);
  if (decision.explanation !== undefined) return failed(decision.explanation);
  if (!decision.chosen.some((chosen) => chosen.name === bundle)) return failed(notOffered(reference, bundle));
  return done(async (invocation, client) => {
    const { terminal, signal } = invocation;
    const deadline = systemClock.monotonic() + parseDuration(textOption(invocation, "timeout") ?? "10m", "--timeout");
    const plan = uninstallPlan(await observeUninstall(client, installation), "keep-data");
    const kept = await keepHistory(client, own, signal);
    if (!kept.ok) return refusedWrite(`keep the history of ${reference}`, kept.problem, reference);
    const gone = await removeInstallation({ client, signal, deadline, waits: true }, installation, plan);
    if (!gone.ok) {
      const { problem } = gone;
      if (problem.kind === "refused") return refusedWrite(problem.what, problem.refusal, reference);
      terminal.err(
        `${terminal.symbol("attention")} ${reference} is removed, its former version is not installed yet`,
        `  do    purser install ${own.spec.name}@${version} -n ${namespace}`,
      );
      return { exitCode: exitCodes.timeout };
    }
    const made = await client.write({ verb: "create", type: subscriptions, object: again }, signal);
    if (!made.ok) return refusedWrite(`create ${reference}`, made.problem, reference);
    await approveOnly(invocation, client, namespace, bundle, deadline);
    const waited = await waitForInstallation(invocation, client, reference, "ready", { version });
    return reached(invocation, waited, reference, version, `purser set ${reference} --approval Automatic`);
  });
}

/** The Subscription without what the API server and controllers wrote; its approval keeps it at the version. */
function startingAt({ apiVersion, kind, metadata, spec }: Subscription, startingCSV: string): Subscription {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion: apiVersion ?? "operators.coreos.com/v1alpha1",
    kind: kind ?? "Subscription",
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { ...spec, startingCSV, installPlanApproval: "Manual" },
  };
}

/** Finished InstallPlans stay when their Subscription is deleted: they are the history. */
async function keepHistory(
  client: KubeClient,
  { metadata: { namespace = "", uid } }: Subscription,
  signal: AbortSignal,
): Promise<Result<undefined, WriteRefusal>> {
  const plans = await client.list(installPlans, { namespace });
  for (const { metadata, status } of plans) {
    const { ownerReferences: owners = [], name = "" } = metadata;
    const others = owners.filter((owner) => owner.uid !== uid);
    if (others.length === owners.length || (status?.phase !== "Complete" && status?.phase !== "Failed")) continue;
    const patch = { metadata: { ownerReferences: plainJson(others) } };
    const written = await client.write(
      { verb: "patch", type: installPlans, key: { namespace, name }, patchType: "merge", patch },
      signal,
    );
    if (!written.ok && written.problem.kind !== "notFound") return failed(written.problem);
  }
  return done(undefined);
}

/** Approves the InstallPlan that brings the bundle, as the rollback was agreed to; waits for it until the deadline. */
async function approveOnly(
  { signal }: Invocation,
  client: KubeClient,
  namespace: string,
  bundle: string,
  deadline: number,
): Promise<void> {
  while (systemClock.monotonic() < deadline) {
    const plans = await client.list(installPlans, { namespace });
    const found = plans.find(
      ({ spec, status }) =>
        status?.phase === "RequiresApproval" && spec.clusterServiceVersionNames.includes(bundle) && !spec.approved,
    );
    if (found !== undefined) {
      const key = { namespace, name: found.metadata.name ?? "" };
      const patch = { spec: { approved: true } };
      const approved = await client.write(
        { verb: "patch", type: installPlans, key, patchType: "merge", patch, fieldManager: "purser-cli" },
        signal,
      );
      if (approved.ok) return;
    }
    await systemClock.sleep(200, signal);
  }
}

function notOffered(reference: string, bundle: string): Explanation {
  return {
    code: "VersionNotFound",
    summary: summaryOf(`The catalog of ${reference} would not install ${bundle} again; nothing was removed`),
    facts: { installation: reference, bundle },
    derivation: [{ relation: "fact", subject: bundle, text: "another bundle would be chosen" }],
    remedies: [{ summary: "another revision", command: `purser history ${reference}` }],
  };
}
