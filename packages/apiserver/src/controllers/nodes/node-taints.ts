import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { nodes } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { ownKey, type BuiltInController } from "../runtime.ts";

const prefix = "node.kubernetes.io/";
const byCondition: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: "not-ready", Unknown: "unreachable" },
  MemoryPressure: { True: "memory-pressure" },
  DiskPressure: { True: "disk-pressure" },
  NetworkUnavailable: { True: "network-unavailable" },
  PIDPressure: { True: "pid-pressure" },
};
const managed: ReadonlySet<string> = new Set([
  "unschedulable",
  ...Object.values(byCondition).flatMap((taints) => Object.values(taints)),
]);

function conditionsOf(node: KubeObject): readonly JsonObject[] {
  return objectsIn(objectIn(asJson(node), "status"), "conditions");
}

/** Whether the node's Ready condition is True, that is, a kubelet manages its pods. */
export function isReadyNode(node: KubeObject): boolean {
  return conditionsOf(node).some(({ type, status }) => type === "Ready" && status === "True");
}

/**
 * The node's taints with those for its conditions and cordon added, and outdated ones removed; undefined when they are
 * correct. A node without Ready condition counts as not ready.
 */
export function repairedTaints(node: KubeObject, now: string): readonly JsonObject[] | undefined {
  const spec = objectIn(asJson(node), "spec");
  const held = objectsIn(spec, "taints");
  const conditions = conditionsOf(node);
  const wanted = new Set(
    conditions.flatMap((condition) => byCondition[textIn(condition, "type")]?.[textIn(condition, "status")] ?? []),
  );
  if (!conditions.some(({ type }) => type === "Ready")) wanted.add("not-ready");
  if (spec["unschedulable"] === true) wanted.add("unschedulable");
  const ownName = (taint: JsonObject): string | undefined => {
    const key = textIn(taint, "key");
    const name = key.slice(prefix.length);
    return taint["effect"] === "NoSchedule" && key.startsWith(prefix) && managed.has(name) ? name : undefined;
  };
  const kept = held.filter((taint) => {
    const name = ownName(taint);
    return name === undefined || wanted.has(name);
  });
  for (const taint of kept) wanted.delete(ownName(taint) ?? "");
  const added = [...wanted].map((name) => ({ key: `${prefix}${name}`, effect: "NoSchedule", timeAdded: now }));
  const next = [...kept, ...added];
  return deepEqual(next, held) ? undefined : next;
}

/** Keeps the taints of all nodes consistent with their conditions and cordons. */
export const nodeTaintController: BuiltInController = {
  name: "node-controller",
  watches: [{ table: "nodes", keys: ownKey }],
  reconcile: async (name, pass) => {
    const node = pass.get(nodes, { name });
    const taints = node === undefined ? undefined : repairedTaints(node, pass.now());
    if (node === undefined || taints === undefined) return undefined;
    const { resourceVersion = "" } = node.metadata;
    await pass.writer.patch(
      nodes,
      { name },
      {
        metadata: { resourceVersion },
        spec: { taints: taints.length === 0 ? null : taints },
      },
    );
    return undefined;
  },
};
