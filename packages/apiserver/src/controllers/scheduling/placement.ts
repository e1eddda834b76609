import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, objectsIn, textIn, textsIn } from "../../kinds/decoding/json-parts.ts";
import { fitsAffinity, requiredTerms, tolerates, untolerated } from "../nodes/node-fit.ts";
import { amountsOf, demandOf, type Demand, type HostPort } from "./requests.ts";
import type { Used } from "./usage.ts";

/** A node and its current usage. */
export interface Candidate {
  readonly node: KubeObject;
  readonly used: Used;
}

/** The node chosen for a pod, or why there is none. */
export type Placement =
  | { readonly kind: "node"; readonly name: string; readonly demand: Demand }
  | { readonly kind: "none"; readonly message: string };

/** Why a node is not suitable for the pod. */
interface Refusal {
  readonly reasons: readonly string[];
  /** Whether the pod would fit if other pods were removed. */
  readonly isFull: boolean;
}

const unschedulableTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/**
 * Chooses a node by the filter rules of kube-scheduler: cordons, taints, node selectors, required node affinity, host
 * ports and resources. Among the suitable nodes the one with the fewest pods is chosen. There is no preemption; pod
 * affinity and topology spread are ignored.
 */
export function placeFor(pod: Pod, candidates: readonly Candidate[]): Placement {
  if (candidates.length === 0) return { kind: "none", message: "no nodes available to schedule pods" };
  const spec = objectIn(asJson(pod), "spec");
  const demand = demandOf(pod);
  const names = namedNodes(spec);
  const total = candidates.length;
  if (names?.size === 0) {
    const conflict = `0/${total} nodes are available: pod affinity terms conflict.`;
    return { kind: "none", message: `${conflict} ${preemption(spec, total, 0)}` };
  }
  const reasons = new Map<string, number>();
  const fitting: Candidate[] = [];
  let full = 0;
  for (const candidate of candidates) {
    const refusal = refusalOf(spec, demand, names, candidate);
    if (refusal === undefined) {
      fitting.push(candidate);
      continue;
    }
    if (refusal.isFull) full++;
    for (const reason of refusal.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const [chosen] = fitting.toSorted((a, b) => preference(spec, a, b));
  if (chosen !== undefined) return { kind: "node", name: chosen.node.metadata.name ?? "", demand };
  return {
    kind: "none",
    message: `0/${total} nodes are available: ${histogram(reasons)}. ${preemption(spec, total, full)}`,
  };
}

function histogram(reasons: ReadonlyMap<string, number>): string {
  return [...reasons]
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(", ");
}

function preemption(spec: JsonObject, total: number, full: number): string {
  if (spec["preemptionPolicy"] === "Never")
    return "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.";
  const reasons = new Map([
    ["No preemption victims found for incoming pod", full],
    ["Preemption is not helpful for scheduling", total - full],
  ]);
  return `no new claims to deallocate, preemption: 0/${total} nodes are available: ${histogram(reasons)}.`;
}

/** The nodes that each term of the pod's node affinity selects by name; undefined when some term does not. */
export function namedNodes(spec: JsonObject): ReadonlySet<string> | undefined {
  const terms = requiredTerms(spec);
  if (terms === undefined || terms.length === 0) return undefined;
  const all = new Set<string>();
  for (const term of terms) {
    const lists = objectsIn(term, "matchFields")
      .filter((field) => textIn(field, "key") === "metadata.name" && textIn(field, "operator") === "In")
      .map((field) => textsIn(field, "values"));
    const [first, ...rest] = lists;
    if (first === undefined) return undefined;
    for (const name of first) if (rest.every((list) => list.includes(name))) all.add(name);
  }
  return all;
}

function refusalOf(
  spec: JsonObject,
  demand: Demand,
  names: ReadonlySet<string> | undefined,
  { node, used }: Candidate,
): Refusal | undefined {
  const never = (reason: string): Refusal => ({ reasons: [reason], isFull: false });
  const held = asJson(node);
  if (names?.has(node.metadata.name ?? "") === false) return never("node(s) didn't satisfy plugin(s) [NodeAffinity]");
  const tolerations = objectsIn(spec, "tolerations");
  if (
    objectIn(held, "spec")["unschedulable"] === true &&
    !tolerations.some((toleration) => tolerates(toleration, unschedulableTaint))
  )
    return never("node(s) were unschedulable");
  if (untolerated(spec, node, ["NoExecute", "NoSchedule"]).length > 0) return never("node(s) had untolerated taint(s)");
  if (!fitsAffinity(spec, node)) return never("node(s) didn't match Pod's node affinity/selector");
  if (demand.ports.some((port) => used.ports.some((other) => collide(port, other))))
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], isFull: true };
  return shortage(demand, held, used);
}

function collide(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === "" || b.ip === "");
}

/** The insufficient resources of a node; isFull is false when even the empty node is too small. */
function shortage({ amounts }: Demand, node: JsonObject, used: Used): Refusal | undefined {
  const allocatable = amountsOf(objectIn(objectIn(node, "status"), "allocatable"));
  const room = (name: string): bigint => allocatable.get(name) ?? 0n;
  const reasons: string[] = [];
  let isFull = true;
  if (BigInt(used.pods + 1) * 1_000_000_000n > room("pods")) reasons.push("Too many pods");
  for (const [name, amount] of amounts) {
    if (amount <= room(name) - (used.amounts.get(name) ?? 0n)) continue;
    reasons.push(`Insufficient ${name}`);
    isFull &&= amount <= room(name);
  }
  return reasons.length === 0 ? undefined : { reasons, isFull };
}

function preference(spec: JsonObject, a: Candidate, b: Candidate): number {
  const unwanted = ({ node }: Candidate): number => untolerated(spec, node, ["PreferNoSchedule"]).length;
  const name = ({ node }: Candidate): string => node.metadata.name ?? "";
  return unwanted(a) - unwanted(b) || a.used.pods - b.used.pods || (name(a) < name(b) ? -1 : 1);
}
