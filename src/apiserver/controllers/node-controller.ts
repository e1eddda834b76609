import { nodes } from "../../apis/resources.ts";
import { ownKey, type BuiltInController, type Pass } from "./runtime.ts";

const defaultName = "sim-node";

export function simulatedNode(pass: Pass): string {
  return pass.simulation.nodeName ?? defaultName;
}

/** Keeps the one simulated node registered and ready. */
export const nodeController: BuiltInController = {
  name: "pod-simulator",
  watches: [{ table: "nodes", keys: ownKey }],
  start: (_follow, enqueue, pass) => enqueue(simulatedNode(pass)),
  reconcile: async (key, pass) => {
    const name = simulatedNode(pass);
    if (key !== name || pass.get(nodes, { name }) !== undefined) return undefined;
    const now = pass.now();
    const created = await pass.writer.tryCreate(nodes, {
      kind: "Node",
      apiVersion: "v1",
      metadata: {
        name,
        labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
      },
    });
    if (!created.ok) return undefined;
    const condition = {
      type: "Ready",
      status: "True",
      lastHeartbeatTime: now,
      lastTransitionTime: now,
      reason: "KubeletReady",
      message: "the simulated node is ready",
    };
    const amounts = { cpu: "32", memory: "256Gi", pods: "10k" };
    const status = {
      ...(created.value.status as object | undefined),
      conditions: [condition],
      addresses: [
        { type: "InternalIP", address: "172.16.0.1" },
        { type: "Hostname", address: name },
      ],
      capacity: amounts,
      allocatable: amounts,
    };
    await pass.writer.replace(nodes, { ...created.value, status }, "status");
    return undefined;
  },
};
