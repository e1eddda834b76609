import type { Pod } from "@purser/kubernetes/apis/core";
import { demandOf, type Amounts, type Demand, type HostPort } from "./requests.ts";

/** What the pods on one node use. */
export interface Used {
  readonly pods: number;
  readonly amounts: Amounts;
  readonly ports: readonly HostPort[];
}

const nothing: Used = { pods: 0, amounts: new Map(), ports: [] };

interface Share extends Demand {
  readonly node: string;
}

interface NodeTotal {
  pods: number;
  readonly amounts: Map<string, bigint>;
  /** Host ports by pod. */
  readonly ports: Map<string, readonly HostPort[]>;
}

/** Maintains the usage of all nodes incrementally. */
export class NodeUsage {
  readonly #shares = new Map<string, Share>();
  readonly #nodes = new Map<string, NodeTotal>();

  /**
   * Updates the usage by a pod; undefined when it was deleted. Returns whether a node has more free resources than
   * before.
   */
  note(key: string, pod: Pod | undefined): boolean {
    const phase = pod?.status?.phase;
    const node = phase === "Succeeded" || phase === "Failed" ? "" : (pod?.spec?.nodeName ?? "");
    const before = this.#shares.get(key);
    if (before?.node === node) return false;
    if (before !== undefined) this.#add(key, before, -1);
    this.#shares.delete(key);
    if (pod !== undefined && node !== "") this.assume(key, node, demandOf(pod));
    return before !== undefined;
  }

  /** Counts a pod that is about to be bound. */
  assume(key: string, node: string, demand: Demand): void {
    const share = { ...demand, node };
    this.#shares.set(key, share);
    this.#add(key, share, 1);
  }

  usedOf(node: string): Used {
    const total = this.#nodes.get(node);
    return total === undefined ? nothing : { ...total, ports: [...total.ports.values()].flat() };
  }

  #add(key: string, { node, amounts, ports }: Share, sign: 1 | -1): void {
    const total = this.#nodes.get(node) ?? { pods: 0, amounts: new Map<string, bigint>(), ports: new Map() };
    this.#nodes.set(node, total);
    total.pods += sign;
    for (const [name, amount] of amounts)
      total.amounts.set(name, (total.amounts.get(name) ?? 0n) + BigInt(sign) * amount);
    if (sign === -1) total.ports.delete(key);
    else if (ports.length > 0) total.ports.set(key, ports);
    if (total.pods === 0) this.#nodes.delete(node);
  }
}
