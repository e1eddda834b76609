import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { leases, nodes } from "@purser/kubernetes/apis/resources";
import { formatMicroTime } from "@purser/kubernetes/clock";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectAt } from "../../kinds/decoding/json-parts.ts";
import { ownKey, type BuiltInController, type Pass } from "../runtime.ts";

const defaultName = "sim-node";
const leaseNamespace = "kube-node-lease";

/** IP address of all simulated nodes. */
export const hostIP = "172.16.0.1";

export function simulatedNode(pass: Pass): string {
  return pass.simulation.nodeName ?? defaultName;
}

/**
 * nodeInfo of the simulated node, which shows that nothing runs on it. kubeletVersion is a semantic version because
 * clients parse it.
 */
const nodeInfo: JsonObject = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "simulated",
  osImage: "simulated, no container runs",
  containerRuntimeVersion: "simulated://1.36.3",
  kubeletVersion: "v1.36.3+simulated",
  kubeProxyVersion: "",
  operatingSystem: "linux",
  architecture: "amd64",
};

function statusOf(name: string, now: string): JsonObject {
  const condition = (type: string, reason: string, message: string): JsonObject => ({
    type,
    status: type === "Ready" ? "True" : "False",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  });
  const amounts = { cpu: "32", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "10k" };
  return {
    conditions: [
      condition("MemoryPressure", "KubeletHasSufficientMemory", "the simulated node has sufficient memory"),
      condition("DiskPressure", "KubeletHasNoDiskPressure", "the simulated node has no disk pressure"),
      condition("PIDPressure", "KubeletHasSufficientPID", "the simulated node has sufficient process ids"),
      condition("Ready", "KubeletReady", "the simulated node is ready"),
    ],
    addresses: [
      { type: "InternalIP", address: hostIP },
      { type: "Hostname", address: name },
    ],
    capacity: amounts,
    allocatable: amounts,
    nodeInfo,
  };
}

async function create(pass: Pass, name: string): Promise<KubeObject | undefined> {
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" };
  const created = await pass.writer.tryCreate(nodes, { kind: "Node", apiVersion: "v1", metadata: { name, labels } });
  return created.ok ? created.value : undefined;
}

/** The node's lease; it is not renewed, because no node lifecycle controller checks it. */
async function createLease(pass: Pass, node: KubeObject): Promise<void> {
  const { name = "", uid = "" } = node.metadata;
  if (pass.get(leases, { namespace: leaseNamespace, name }) !== undefined) return;
  const now = formatMicroTime(pass.nowMs());
  await pass.writer.tryCreate(
    leases,
    {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: {
        name,
        namespace: leaseNamespace,
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }],
      },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: now },
    },
    leaseNamespace,
  );
}

/** Keeps the simulated node registered. It is created ready; later changes of its status by others are kept. */
export const nodeController: BuiltInController = {
  name: "pod-simulator",
  manager: "kubelet",
  watches: [{ table: "nodes", keys: ownKey }],
  start: (_follow, enqueue, pass) => enqueue(simulatedNode(pass)),
  reconcile: async (key, pass) => {
    const name = simulatedNode(pass);
    if (key !== name) return undefined;
    const node = pass.get(nodes, { name }) ?? (await create(pass, name));
    if (node === undefined) return undefined;
    if (!deepEqual(objectAt(asJson(node), "status", "nodeInfo"), nodeInfo)) {
      const held = objectAt(asJson(node), "status");
      const status = { ...held, ...statusOf(name, pass.now()) };
      await pass.writer.replace(nodes, { ...node, status } as KubeObject, "status");
    }
    await createLease(pass, node);
    return undefined;
  },
};
