import type { Pod } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { parseQuantity } from "@purser/kubernetes/object/quantity";
import { numberIn, objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";

/** Amounts by resource, in units of 10^-9. */
export type Amounts = ReadonlyMap<string, bigint>;

/** A host port used by a pod. */
export interface HostPort {
  /** Empty for all addresses of the node. */
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** What a pod uses of its node. */
export interface Demand {
  readonly amounts: Amounts;
  readonly ports: readonly HostPort[];
}

/** Parses a resource list such as `status.allocatable`; invalid quantities count as zero. */
export function amountsOf(list: JsonObject): Amounts {
  return new Map(
    Object.keys(list).map((name): [string, bigint] => {
      const value = list[name];
      const read = parseQuantity(typeof value === "number" ? String(value) : textIn(list, name));
      return [name, read.ok ? read.value.nanos : 0n];
    }),
  );
}

function plus(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, (sum.get(name) ?? 0n) + amount);
  return sum;
}

function atLeast(a: Amounts, b: Amounts): Amounts {
  const most = new Map(a);
  for (const [name, amount] of b) if (amount > (most.get(name) ?? 0n)) most.set(name, amount);
  return most;
}

function requestsOf(container: JsonObject): Amounts {
  return amountsOf(objectAt(container, "resources", "requests"));
}

const isSidecar = (container: JsonObject): boolean => container["restartPolicy"] === "Always";

/**
 * A pod's requests: the sum of its containers, or an init container plus the sidecars before it when that is more;
 * pod-level requests override it; overhead is added.
 */
export function demandOf(pod: Pod): Demand {
  const spec = objectIn(asJson(pod), "spec");
  const containers = objectsIn(spec, "containers");
  const inits = objectsIn(spec, "initContainers");
  let running = containers.map(requestsOf).reduce<Amounts>(plus, new Map());
  let sidecars: Amounts = new Map();
  let peak: Amounts = new Map();
  for (const init of inits) {
    if (isSidecar(init)) sidecars = plus(sidecars, requestsOf(init));
    peak = atLeast(peak, isSidecar(init) ? sidecars : plus(sidecars, requestsOf(init)));
  }
  running = atLeast(plus(running, sidecars), peak);
  const whole = new Map([...running, ...amountsOf(objectAt(spec, "resources", "requests"))]);
  const ports = [...containers, ...inits.filter(isSidecar)].flatMap((container) =>
    objectsIn(container, "ports").flatMap((held): readonly HostPort[] => {
      const port = numberIn(held, "hostPort") ?? 0;
      const ip = textIn(held, "hostIP");
      const protocol = textIn(held, "protocol") || "TCP";
      return port === 0 ? [] : [{ ip: ip === "0.0.0.0" ? "" : ip, protocol, port }];
    }),
  );
  const amounts = plus(whole, amountsOf(objectIn(spec, "overhead")));
  return { amounts: new Map([...amounts].filter(([, amount]) => amount > 0n)), ports };
}
