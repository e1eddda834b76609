import type { JsonObject } from "@purser/kubernetes/json";
import { compareQuantities, parseQuantity } from "@purser/kubernetes/object/quantity";
import { objectAt, objectsIn, textIn } from "../decoding/json-parts.ts";
import { sumQuantities } from "../quantity-text.ts";

/** Quantities by the name of their resource. */
export type Amounts = ReadonlyMap<string, string>;

const overall = /^(cpu|memory|hugepages-.*)$/;

/** The entries of a decoded resource list. */
export function quantitiesIn(list: JsonObject): Amounts {
  return new Map(Object.keys(list).map((name) => [name, textIn(list, name)]));
}

/** Requests or limits of one container. */
export function amountsIn(container: JsonObject, part: "requests" | "limits"): Amounts {
  return quantitiesIn(objectAt(container, "resources", part));
}

/** Sums of both, each in the form of the first operand. */
export function added(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const held = sum.get(name);
    sum.set(name, held === undefined ? amount : (sumQuantities([held, amount]) ?? amount));
  }
  return sum;
}

export function isMore(a: string, b: string): boolean {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left.ok && right.ok && compareQuantities(left.value, right.value) > 0;
}

function larger(a: Amounts, b: Amounts): Amounts {
  const most = new Map(a);
  for (const [name, amount] of b) {
    const held = most.get(name);
    if (held === undefined || isMore(amount, held)) most.set(name, amount);
  }
  return most;
}

/**
 * Requests or limits of a whole pod: the sum of its containers, or the largest need during its start, when init
 * containers run one by one beside the restartable ones. Pod-level values override it.
 */
export function podTotal(spec: JsonObject, part: "requests" | "limits"): Amounts {
  let running: Amounts = new Map();
  for (const container of objectsIn(spec, "containers")) running = added(running, amountsIn(container, part));
  let started: Amounts = new Map();
  let peak: Amounts = new Map();
  for (const container of objectsIn(spec, "initContainers")) {
    const own = amountsIn(container, part);
    if (textIn(container, "restartPolicy") === "Always") {
      running = added(running, own);
      started = added(started, own);
      peak = larger(peak, started);
    } else peak = larger(peak, added(own, started));
  }
  const total = new Map(larger(running, peak));
  for (const [name, amount] of quantitiesIn(objectAt(spec, "resources", part)))
    if (overall.test(name)) total.set(name, amount);
  return total;
}
