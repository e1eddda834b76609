import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";

interface Entry {
  readonly address: JsonObject;
  readonly ready: boolean;
}

interface Holders {
  readonly port: JsonObject | undefined;
  readonly entries: Map<string, Entry>;
}

function keyOf(address: JsonObject): string {
  return `${textIn(address, "ip")} ${textIn(objectIn(address, "targetRef"), "uid")}`;
}

function portOrder(a: JsonObject, b: JsonObject): number {
  const key = (port: JsonObject): string => `${textIn(port, "name")} ${textIn(port, "protocol")}`;
  if (key(a) !== key(b)) return key(a) < key(b) ? -1 : 1;
  return (numberIn(a, "port") ?? 0) - (numberIn(b, "port") ?? 0);
}

/** The addresses that offer each port; an address that is unready in one subset is unready. */
function holdersByPort(subsets: readonly JsonObject[]): readonly Holders[] {
  const byPort = new Map<string, Holders>();
  for (const subset of subsets) {
    const ports = objectsIn(subset, "ports");
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const name = JSON.stringify(port ?? null);
      const holders = byPort.get(name) ?? { port, entries: new Map<string, Entry>() };
      byPort.set(name, holders);
      const add = (address: JsonObject, ready: boolean): void => {
        const before = holders.entries.get(keyOf(address));
        if (before === undefined) holders.entries.set(keyOf(address), { address, ready });
        else if (before.ready) holders.entries.set(keyOf(address), { ...before, ready });
      };
      for (const address of objectsIn(subset, "addresses")) add(address, true);
      for (const address of objectsIn(subset, "notReadyAddresses")) add(address, false);
    }
  }
  return [...byPort.values()];
}

/** The same endpoints with one subset for each set of addresses and all ports that exactly these offer. */
export function repacked(subsets: readonly JsonObject[]): readonly JsonObject[] {
  const groups = new Map<string, { readonly entries: readonly Entry[]; readonly ports: JsonObject[] }>();
  for (const { port, entries } of holdersByPort(subsets)) {
    const sorted = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify(sorted.map(([name, { ready }]) => [name, ready]));
    const group = groups.get(key) ?? { entries: sorted.map(([, entry]) => entry), ports: [] };
    groups.set(key, group);
    if (port !== undefined) group.ports.push(port);
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
