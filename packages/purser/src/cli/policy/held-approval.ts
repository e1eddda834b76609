import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { globalNamespace } from "../../apis/own-namespaces.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { readPolicies, worldOfCluster } from "../../engine/snapshot/snapshot-live.ts";
import { holdsIn } from "../../engine/snapshot/decision-inputs.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { summaryOf } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import { heldInstallPlan } from "../../policy/held-install-plan.ts";
import { isWithoutPolicies } from "../../policy/installation-holds.ts";
import type { Invocation } from "../command.ts";
import { holdsOnInstallation } from "../../engine/snapshot/snapshot-holds.ts";

/**
 * Why nothing of the installation may be approved now: a policy holds back what its InstallPlan brings, or every upgrade that
 * its catalog offers. Undefined when policies allow it. Judged on the cluster as it is, before its controllers show it.
 */
export async function heldApproval(
  { terminal }: Invocation,
  client: KubeClient,
  installation: Installation,
  plan: InstallPlan | undefined,
): Promise<Explanation | undefined> {
  const { api, namespace = "", reference, state, why } = installation;
  if (isWithoutPolicies(await readPolicies(client, api === "v0" ? namespace : undefined))) return undefined;
  const kept = new KeptCatalogs(defaultCacheDirectory(terminal.env));
  const read = await worldOfCluster(client, kept, globalNamespace, api === "v0" ? namespace : undefined);
  const world = { ...read, now: systemClock.now() };
  if (plan !== undefined) {
    const held = holdsIn(world, namespace).flatMap((one) => one.held);
    return heldInstallPlan(plan, held);
  }
  const { waiting } = holdsOnInstallation(world, installation);
  if (waiting !== undefined || state !== "Held") return waiting;
  // The content of the content of its catalog is not on this machine.
  const remedy = { summary: "see which policy decides", command: `purser policy effective ${reference}` };
  const facts = { installation: reference };
  return { code: "VersionHeld", summary: summaryOf(why), facts, derivation: [], remedies: [remedy] };
}
