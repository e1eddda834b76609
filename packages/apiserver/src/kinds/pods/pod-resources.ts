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
  addTo(sum, b);
  return sum;
}

/** As {@link added}, into the first operand: containers may name thousands of resources. */
function addTo(sum: Map<string, string>, more: Amounts): void {
  for (const [name, amount] of more) {
    const held = sum.get(name);
    sum.set(name, held === undefined ? amount : (sumQuantities([held, amount]) ?? amount));
  }
}

export function isMore(a: string, b: string): boolean {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left.ok && right.ok && compareQuantities(left.value, right.value) > 0;
}

function raiseTo(most: Map<string, string>, others: Iterable<readonly [string, string]>): void {
  for (const [name, amount] of others) {
    const held = most.get(name);
    if (held === undefined || isMore(amount, held)) most.set(name, amount);
  }
}

/** The amounts of these names. */
function amountsOf(amounts: Amounts, names: readonly string[]): Amounts {
  const some = new Map<string, string>();
  for (const name of names) {
    const amount = amounts.get(name);
    if (amount !== undefined) some.set(name, amount);
  }
  return some;
}

/**
 * Requests or limits of a whole pod: the sum of its containers, or the largest need during its start, when init
 * containers run one by one beside the restartable ones. Pod-level values override it.
 */
export function podTotal(spec: JsonObject, part: "requests" | "limits"): Amounts {
  const total = new Map<string, string>();
  for (const container of objectsIn(spec, "containers")) addTo(total, amountsIn(container, part));
  const started = new Map<string, string>();
  const peak = new Map<string, string>();
  for (const container of objectsIn(spec, "initContainers")) {
    const own = amountsIn(container, part);
    const names = [...own.keys()];
    if (textIn(container, "restartPolicy") === "Always") {
      addTo(total, own);
      addTo(started, own);
      // What it does not name has not grown.
      raiseTo(peak, amountsOf(started, names));
    } else raiseTo(peak, added(own, amountsOf(started, names)));
  }
  raiseTo(total, peak);
  for (const [name, amount] of quantitiesIn(objectAt(spec, "resources", part)))
    if (overall.test(name)) total.set(name, amount);
  return total;
}
