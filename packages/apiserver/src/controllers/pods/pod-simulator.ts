import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { formatKey, keyOf, parseKey } from "@purser/kubernetes/apis/object";
import { namespaces, nodes, pods } from "@purser/kubernetes/apis/resources";
import type { Lookup } from "../lookup.ts";
import { isReadyNode } from "../nodes/node-taints.ts";
import { outcomeOf, resultAnnotation } from "./pod-outcome.ts";
import { eventsOf } from "./pod-events.ts";
import { podStatus } from "./pod-status.ts";
import { hostIP, simulatedNode } from "../nodes/simulated-node.ts";
import { record, referenceTo } from "../recorder.ts";
import { ownKey, type BuiltInController, type Pass } from "../runtime.ts";
import type { PodOutcome } from "./simulation.ts";

/** An address from 10.244.0.0/16 derived from the uid, so that it survives restarts. */
function addressOf(pod: Pod): string {
  const digits = (pod.metadata.uid ?? "").replaceAll("-", "").slice(-4);
  const number = Number.parseInt(digits, 16) || 1;
  return `10.244.${number >> 8}.${number & 255}`;
}

function delayOf(outcome: PodOutcome): number {
  switch (outcome.kind) {
    case "ready":
    case "succeed":
    case "fail":
      return outcome.afterMs ?? 0;
    case "pending":
    case "neverReady":
    case "crash":
    case "imageError":
      return 0;
  }
}

/** Terminates a deleted pod: running containers end, then the object is deleted. */
async function terminate(pass: Pass, pod: Pod): Promise<void> {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const tracked = (pod.metadata.finalizers ?? []).length > 0;
  const phase = pod.status?.phase;
  if (tracked && phase !== "Succeeded" && phase !== "Failed") {
    const facts = { pod, ip: addressOf(pod), hostIP, now: pass.now() };
    const status = podStatus(facts, { kind: "fail", exitCode: 137 });
    await pass.writer.replace(pods, { ...pod, status } as unknown as Pod, "status");
  }
  if (pod.metadata.deletionGracePeriodSeconds !== 0) {
    await pass.writer.remove(pods, { namespace, name }, { uid, graceSeconds: 0 });
  }
}

/** Whether the status already shows the outcome. */
function isReached(pod: Pod, outcome: PodOutcome): boolean {
  const phase = pod.status?.phase;
  if (phase === "Succeeded" || phase === "Failed") return true;
  const [first] = pod.status?.containerStatuses ?? [];
  switch (outcome.kind) {
    case "pending":
      return true;
    case "ready":
      return first?.ready === true;
    case "neverReady":
      return first !== undefined && !first.ready && first.state?.running !== undefined;
    case "crash":
      return first?.state?.waiting?.reason === "CrashLoopBackOff";
    case "imageError":
      return first?.state?.waiting?.reason === "ImagePullBackOff";
    case "succeed":
    case "fail":
      return false;
  }
}

async function advance(pass: Pass, pod: Pod): Promise<number | undefined> {
  const namespace = pass.get(namespaces, { name: pod.metadata.namespace ?? "" });
  const outcome = outcomeOf(pod, namespace, pass.simulation);
  if (isReached(pod, outcome)) return undefined;
  const started = Date.parse(pod.metadata.creationTimestamp ?? "");
  const wait = started + delayOf(outcome) - pass.nowMs();
  if (delayOf(outcome) > 0 && wait > 0) return wait;
  const status = podStatus({ pod, ip: addressOf(pod), hostIP, now: pass.now() }, outcome);
  if (status === undefined) return undefined;
  const written = await pass.writer.replace(pods, { ...pod, status } as unknown as Pod, "status");
  if (written !== undefined) await recordEvents(pass, pod, outcome);
  return undefined;
}

async function recordEvents(pass: Pass, pod: Pod, outcome: PodOutcome): Promise<void> {
  const host = pod.spec?.nodeName ?? "";
  for (const { container, ...text } of eventsOf(pod, outcome)) {
    const about = { ...referenceTo(pod), fieldPath: `spec.containers{${container}}` };
    await record(pass, pod, { component: "kubelet", host, ...text }, about);
  }
}

/** Whether the node's kubelet is simulated: the built-in node, and all ready ones. */
function hasKubelet(pass: Pass, node: string): boolean {
  if (node === simulatedNode(pass)) return true;
  const known = pass.get(nodes, { name: node });
  return known !== undefined && isReadyNode(known);
}

const podsOfNode: Lookup<Pod> = { type: pods, valuesOf: ({ spec }) => [spec?.nodeName ?? ""] };

const keysOf = (held: readonly KubeObject[]): readonly string[] => held.map((pod) => formatKey(keyOf(pod)));

/** The kubelets of all simulated nodes. */
export const podSimulator: BuiltInController = {
  name: "pod-simulator",
  manager: "kubelet",
  watches: [
    { table: "pods", keys: ownKey },
    {
      table: "namespaces",
      keys: ({ key, before, after }, pass) => {
        const result = (object: KubeObject | undefined): string | undefined =>
          object?.metadata.annotations?.[resultAnnotation];
        return result(before) === result(after) ? [] : keysOf(pass.list(pods, key));
      },
    },
    {
      table: "nodes",
      keys: ({ key, before, after }, pass) => {
        const isReady = (node: KubeObject | undefined): boolean => node !== undefined && isReadyNode(node);
        return key === simulatedNode(pass) || isReady(before) === isReady(after)
          ? []
          : keysOf(pass.find(podsOfNode, [key]));
      },
    },
  ],
  reconcile: async (key, pass) => {
    const pod = pass.get(pods, parseKey(key));
    const node = pod?.spec?.nodeName ?? "";
    // A pod without a node has no kubelet; the API server deletes it itself.
    if (pod === undefined || node === "") return undefined;
    if (pod.metadata.deletionTimestamp !== undefined) {
      await terminate(pass, pod);
      return undefined;
    }
    return hasKubelet(pass, node) ? advance(pass, pod) : undefined;
  },
};
