import type { JsonObject } from "@purser/kubernetes/json";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { numberIn, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";

interface Entry {
  readonly address: JsonObject;
  readonly ready: boolean;
}

function keyOf(address: JsonObject): string {
  return `${textIn(address, "ip")} ${textIn(objectIn(address, "targetRef"), "uid")}`;
}

function portOrder(a: JsonObject, b: JsonObject): number {
  const key = (port: JsonObject): string => `${textIn(port, "name")} ${textIn(port, "protocol")}`;
  if (key(a) !== key(b)) return key(a) < key(b) ? -1 : 1;
  return (numberIn(a, "port") ?? 0) - (numberIn(b, "port") ?? 0);
}

/** Ports that the same subsets list; undefined stands for a subset without ports. */
interface PortSet {
  readonly ports: (JsonObject | undefined)[];
  /** Indexes of the subsets, ascending. */
  readonly subsets: readonly number[];
}

/** The ports of all subsets, together where the same subsets list them: a subset may have thousands. */
function* portSets(subsets: readonly JsonObject[], strides: Strides): Steps<readonly PortSet[]> {
  const byPort = new Map<string, { readonly port: JsonObject | undefined; readonly subsets: number[] }>();
  for (const [index, subset] of subsets.entries()) {
    const ports = objectsIn(subset, "ports");
    for (const port of ports.length === 0 ? [undefined] : ports) {
      if (strides.isDue()) yield;
      const name = JSON.stringify(port ?? null);
      const held = byPort.get(name) ?? { port, subsets: [] };
      byPort.set(name, held);
      if (held.subsets.at(-1) !== index) held.subsets.push(index);
    }
  }
  const sets = new Map<string, PortSet>();
  for (const { port, subsets: listing } of byPort.values()) {
    if (strides.isDue(listing.length)) yield;
    const key = listing.join(",");
    const set = sets.get(key) ?? { ports: [], subsets: listing };
    sets.set(key, set);
    set.ports.push(port);
  }
  return [...sets.values()];
}

/** The addresses of some subsets, sorted; an address that is unready in one of them is unready. */
function* entriesOf(subsets: readonly JsonObject[], strides: Strides): Steps<readonly [string, Entry][]> {
  const entries = new Map<string, Entry>();
  for (const subset of subsets)
    for (const [list, ready] of [
      ["addresses", true],
      ["notReadyAddresses", false],
    ] as const)
      for (const address of objectsIn(subset, list)) {
        if (strides.isDue()) yield;
        const key = keyOf(address);
        const before = entries.get(key);
        if (before === undefined) entries.set(key, { address, ready });
        else if (before.ready) entries.set(key, { ...before, ready });
      }
  return [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * The same endpoints with one subset for each set of addresses and all ports that exactly these offer, in the order of
 * the first port of each. With pauses.
 */
export function* repacked(subsets: readonly JsonObject[], strides = new Strides()): Steps<readonly JsonObject[]> {
  const groups = new Map<string, { readonly entries: readonly Entry[]; readonly ports: JsonObject[] }>();
  for (const set of yield* portSets(subsets, strides)) {
    const held = set.subsets.map((index) => subsets[index] ?? {});
    const sorted = yield* entriesOf(held, strides);
    const key = JSON.stringify(sorted.map(([name, { ready }]) => [name, ready]));
    const group = groups.get(key) ?? { entries: sorted.map(([, entry]) => entry), ports: [] };
    groups.set(key, group);
    for (const port of set.ports) if (port !== undefined) group.ports.push(port);
  }
  return [...groups.values()].map(({ entries, ports }) => {
    const where = (is: boolean): readonly JsonObject[] =>
      entries.filter(({ ready }) => ready === is).map(({ address }) => address);
    const [up, down] = [where(true), where(false)];
    return {
      ...(up.length === 0 ? {} : { addresses: up }),
      ...(down.length === 0 ? {} : { notReadyAddresses: down }),
      ...(ports.length === 0 ? {} : { ports: ports.toSorted(portOrder) }),
    };
  });
}
