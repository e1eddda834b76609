import type { Pod } from "../../apis/core.ts";
import type { KubeObject } from "../../apis/object.ts";
import { asJson, formatKey, keyOf, parseKey } from "../../apis/object.ts";
import { namespaces, nodes, pods } from "../../apis/resources.ts";
import { resourcePath } from "../../apis/resource-type.ts";
import { objectIn } from "../kinds/json-parts.ts";
import { namedNode } from "./node-fit.ts";
import { outcomeOf, resultAnnotation } from "./pod-outcome.ts";
import { podStatus } from "./pod-status.ts";
import { simulatedNode } from "./node-controller.ts";
import { ownKey, type BuiltInController, type Pass } from "./runtime.ts";
import type { PodOutcome } from "./simulation.ts";
import { RefusedError } from "./writer.ts";

const defaultScheduler = "default-scheduler";
const hostIP = "172.16.0.1";

/** An address from 10.244.0.0/16 that follows from the uid, so that a restart gives the same one. */
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

async function bind(pass: Pass, pod: Pod, node: string): Promise<void> {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const path = resourcePath(pods, { namespace, name }, "binding");
  const sent = await pass.writer.post(path, {
    kind: "Binding",
    apiVersion: "v1",
    metadata: { name, namespace, uid },
    target: { apiVersion: "v1", kind: "Node", name: node },
  });
  if (!sent.ok && sent.problem.code !== 404 && sent.problem.code !== 409) {
    throw new RefusedError(`bind ${path}`, sent.problem.code, sent.problem.message);
  }
}

/** What the kubelet does last: running containers end, then the object goes at once. */
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

/** The outcome is in the status already. */
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
  if (status !== undefined) await pass.writer.replace(pods, { ...pod, status } as unknown as Pod, "status");
  return undefined;
}

/** Scheduler and kubelet of one simulated node. */
export const podSimulator: BuiltInController = {
  name: "pod-simulator",
  watches: [
    { table: "pods", keys: ownKey },
    {
      table: "namespaces",
      keys: ({ key, before, after }, pass) => {
        const result = (object: KubeObject | undefined): string | undefined =>
          object?.metadata.annotations?.[resultAnnotation];
        if (result(before) === result(after)) return [];
        return pass.list(pods, key).map((pod) => formatKey(keyOf(pod)));
      },
    },
  ],
  reconcile: async (key, pass) => {
    const pod = pass.get(pods, parseKey(key));
    if (pod === undefined) return undefined;
    if (pod.metadata.deletionTimestamp !== undefined) {
      await terminate(pass, pod);
      return undefined;
    }
    if ((pod.spec as { schedulingGates?: readonly unknown[] } | undefined)?.schedulingGates !== undefined)
      return undefined;
    // Whoever else schedules it does so through the API.
    const scheduler = pod.spec?.schedulerName ?? defaultScheduler;
    if ((pod.spec?.nodeName ?? "") === "" && scheduler !== defaultScheduler) return undefined;
    const named = namedNode(objectIn(asJson(pod), "spec"));
    const node = named ?? simulatedNode(pass);
    if ((pod.spec?.nodeName ?? "") === "") {
      if (named !== undefined && pass.get(nodes, { name: named }) === undefined) return undefined;
      await bind(pass, pod, node);
      const bound = pass.get(pods, parseKey(key));
      return bound === undefined ? undefined : advance(pass, bound);
    }
    // Pods that somebody else bound to another node have no kubelet here, as long as that node is not known.
    return pod.spec?.nodeName === node || pass.get(nodes, { name: pod.spec?.nodeName ?? "" }) !== undefined
      ? advance(pass, pod)
      : undefined;
  },
};
