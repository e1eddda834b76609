import { setTimeout as pause } from "node:timers/promises";
import { leases } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { eventually } from "../eventually.ts";
import { whilePackagesAreAsked } from "./package-drill.ts";
import type { DeployedPod, DeployedPurser } from "./deployment.ts";
import { isRunning, type RunningPod } from "./pod-runner.ts";

/** Whether a pod says that it leads. */
async function leads(pod: RunningPod): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${pod.ports["metrics"]}/metrics`).catch(() => undefined);
  return /^purser_leading 1$/m.test((await answer?.text().catch(() => "")) ?? "");
}

async function leaderOf(pods: readonly DeployedPod[]): Promise<DeployedPod> {
  let found: DeployedPod | undefined;
  await eventually("one pod leads", async () => {
    for (const pod of pods) if (isRunning(pod) && (await leads(pod))) found = pod;
    return found === undefined ? "none does" : undefined;
  });
  if (found === undefined) throw new Error("nobody leads");
  return found;
}

/** Ends the leader with a signal; returns after how many milliseconds another pod leads. */
async function takenOverAfter({ pods }: DeployedPurser, signal: "SIGKILL" | "SIGTERM"): Promise<number> {
  const leader = await leaderOf(pods);
  const start = systemClock.monotonic();
  const ended = leader.stop(signal);
  for (const others = pods.filter((pod) => pod !== leader); ; await pause(20)) {
    const leading = await Promise.all(others.map(async (pod) => isRunning(pod) && (await leads(pod))));
    if (leading.includes(true)) break;
    if (systemClock.monotonic() - start > 60_000) throw new Error(`nobody leads a minute after ${signal}`);
  }
  const took = systemClock.monotonic() - start;
  await ended;
  return took;
}

/** As {@link takenOverAfter}, while the packages of the replicas are asked for. */
async function takenOverWhileAsked(
  deployed: DeployedPurser,
  client: KubeClient,
  signal: "SIGKILL" | "SIGTERM",
  packages: boolean,
): Promise<number> {
  let took = 0;
  const act = async (): Promise<void> => void (took = await takenOverAfter(deployed, signal));
  if (!packages) {
    await act();
    console.log(`        taken over ${Math.round(took)} ms after ${signal}`);
    return took;
  }
  const { asked, longestGapMs, failures } = await whilePackagesAreAsked(client, act);
  console.log(
    `        taken over ${Math.round(took)} ms after ${signal}; of ${asked} package requests ${failures.length} failed, at most ${Math.round(longestGapMs)} ms without an answer`,
  );
  // Those that a killed pod was answering are lost; nothing else is.
  if (failures.length > (signal === "SIGKILL" ? 2 : 0))
    throw new Error(`package requests failed: ${failures.join("; ")}`);
  return took;
}

/** Kills the leader, ends the next one in order, and pauses the third over its Lease; new pods take the places of those that ended. */
export async function takeOverDrill(
  deployed: DeployedPurser,
  client: KubeClient,
  { namespace, packages }: { readonly namespace: string; readonly packages: boolean },
): Promise<void> {
  const killed = await takenOverWhileAsked(deployed, client, "SIGKILL", packages);
  await deployed.start();
  const ended = await takenOverWhileAsked(deployed, client, "SIGTERM", packages);
  await deployed.start();
  if (killed > 5000 || ended > 1000) throw new Error("taken over too late");
  await pausedLeader(deployed, client, namespace);
}

/** A leader that is paused until another one leads, and then goes on, writes nothing. */
async function pausedLeader({ pods }: DeployedPurser, client: KubeClient, namespace: string): Promise<void> {
  const paused = await leaderOf(pods);
  const others = pods.filter((pod) => pod !== paused && isRunning(pod));
  paused.child.kill("SIGSTOP");
  const successor = await leaderOf(others);
  const holder = (await client.get(leases, { namespace, name: "purser" }))?.spec?.holderIdentity;
  const before = paused.requests.length;
  paused.child.kill("SIGCONT");
  await eventually("the paused pod knows that it does not lead", async () =>
    (await leads(paused)) ? "it thinks so" : undefined,
  );
  await pause(3000);
  if (!(await leads(successor))) throw new Error("the successor does not lead any more");
  const now = (await client.get(leases, { namespace, name: "purser" }))?.spec?.holderIdentity;
  if (now !== holder) throw new Error(`the Lease went from ${holder} to ${now}`);
  // A renewal that is refused, because another process has changed the Lease, is how it learns of that.
  const wrote = paused.requests
    .slice(before)
    .filter(
      ({ verb, resource, status }) =>
        ["create", "update", "patch", "delete"].includes(verb) && !(resource === "leases" && status === 409),
    );
  if (wrote.length > 0) throw new Error(`the paused pod wrote ${JSON.stringify(wrote)}`);
}
