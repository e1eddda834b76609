import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { nodes, pods } from "@purser/kubernetes/apis/resources";
import { resourcePath } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, objectsIn } from "../../kinds/decoding/json-parts.ts";
import { repairedTaints } from "../nodes/node-taints.ts";
import { simulatedNode } from "../nodes/simulated-node.ts";
import { recordAction } from "../recorder.ts";
import type { BuiltInController, Pass } from "../runtime.ts";
import { RefusedError } from "../writer.ts";
import { namedNodes, placeFor, type Candidate, type Placement } from "./placement.ts";
import type { Demand } from "./requests.ts";
import { NodeUsage } from "./usage.ts";

const component = "default-scheduler";

/** Whether the pod is to be scheduled by this scheduler: unbound, ungated, default schedulerName. */
function isWaiting(pod: Pod): boolean {
  const spec = objectIn(asJson(pod), "spec");
  return (
    pod.metadata.deletionTimestamp === undefined &&
    (pod.spec?.nodeName ?? "") === "" &&
    (pod.spec?.schedulerName ?? component) === component &&
    objectsIn(spec, "schedulingGates").length === 0 &&
    pod.status?.phase !== "Succeeded" &&
    pod.status?.phase !== "Failed"
  );
}

/** Sets PodScheduled to False with the reason, and emits an event when the reason is new. */
async function reportUnschedulable(pass: Pass, pod: Pod, message: string): Promise<void> {
  const held = pod.status?.conditions ?? [];
  const before = held.find(({ type }) => type === "PodScheduled");
  if (before?.status === "False" && before.reason === "Unschedulable" && before.message === message) return;
  const condition = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: before?.status === "False" ? (before.lastTransitionTime ?? pass.now()) : pass.now(),
    reason: "Unschedulable",
    message,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
  };
  const conditions = [...held.filter(({ type }) => type !== "PodScheduled"), condition];
  const status: JsonObject = { ...(pod.status as JsonObject | undefined), conditions: conditions as JsonObject[] };
  await pass.writer.replace(pods, { ...pod, status } as unknown as Pod, "status");
  const text = { component, type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" } as const;
  await recordAction(pass, pod, text);
}

/** Whether the simulated node has not registered as ready yet. */
function isStarting(pass: Pass): boolean {
  const node = pass.get(nodes, { name: simulatedNode(pass) });
  return node === undefined || objectsIn(objectIn(asJson(node), "status"), "conditions").length === 0;
}

/** A node with its expected taints, whether they are written yet or not. */
function candidate(pass: Pass, node: KubeObject, usage: NodeUsage): Candidate {
  const used = usage.usedOf(node.metadata.name ?? "");
  const taints = repairedTaints(node, pass.now());
  if (taints === undefined) return { node, used };
  const spec = { ...objectIn(asJson(node), "spec"), taints };
  return { node: { ...node, spec } as KubeObject, used };
}

/** Binds pods to nodes by the rules of {@link placeFor}. */
export function scheduler(): BuiltInController {
  const usage = new NodeUsage();
  const waiting = new Set<string>();

  function place(pass: Pass, pod: Pod): Placement {
    const among = (held: readonly KubeObject[]): Placement =>
      placeFor(
        pod,
        held.map((node) => candidate(pass, node, usage)),
      );
    const names = namedNodes(objectIn(asJson(pod), "spec")) ?? [];
    // A pod of a DaemonSet can run on one node only; the other nodes are read only for the message.
    const named = among([...names].flatMap((name) => pass.get(nodes, { name }) ?? []));
    return named.kind === "node" ? named : among(pass.list(nodes));
  }

  /**
   * Binds the pod; resolves to whether it is bound. A refusal is ignored when the pod was deleted or bound by someone
   * else.
   */
  async function bind(pass: Pass, pod: Pod, node: string, demand: Demand): Promise<boolean> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const key = `${namespace}/${name}`;
    const path = resourcePath(pods, { namespace, name }, "binding");
    // Counted now, so that pods placed before the change is seen find the resources in use.
    usage.assume(key, node, demand);
    const sent = await pass.writer.post(path, {
      kind: "Binding",
      apiVersion: "v1",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    });
    if (sent.ok) return true;
    usage.note(key, pass.get(pods, { namespace, name }));
    if (sent.problem.code === 404 || sent.problem.code === 409) return false;
    throw new RefusedError(`bind ${path}`, sent.problem.code, sent.problem.message);
  }

  return {
    name: "pod-simulator",
    manager: "kube-scheduler",
    watches: [
      {
        table: "pods",
        keys: ({ key, after }) => {
          const pod = after as Pod | undefined;
          const hasFreed = usage.note(key, pod);
          if (pod === undefined) waiting.delete(key);
          const own = pod !== undefined && isWaiting(pod) ? [key] : [];
          return hasFreed ? [...own, ...waiting] : own;
        },
      },
      { table: "nodes", keys: () => [...waiting] },
    ],
    reconcile: async (key, pass) => {
      const pod = pass.get(pods, parseKey(key));
      if (pod === undefined || !isWaiting(pod)) {
        waiting.delete(key);
        return undefined;
      }
      // The simulated node registers shortly: no failure is reported until then.
      if (isStarting(pass)) {
        waiting.add(key);
        return undefined;
      }
      const placement = place(pass, pod);
      switch (placement.kind) {
        case "none":
          waiting.add(key);
          await reportUnschedulable(pass, pod, placement.message);
          return undefined;
        case "node": {
          waiting.delete(key);
          if (!(await bind(pass, pod, placement.name, placement.demand))) return undefined;
          const { namespace = "", name = "" } = pod.metadata;
          const message = `Successfully assigned ${namespace}/${name} to ${placement.name}`;
          await recordAction(pass, pod, { component, type: "Normal", reason: "Scheduled", message, action: "Binding" });
          return undefined;
        }
      }
    },
  };
}
