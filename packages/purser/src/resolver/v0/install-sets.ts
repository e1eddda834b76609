import type { Subscription } from "../../apis/v0/subscription.ts";
import type { BundleSummary } from "../../catalog/catalog-index.ts";
import { Pace } from "../pace.ts";
import type { Entry } from "./entry.ts";
import type { Cause } from "./explain/cause.ts";
import type { InstallSet, ResolvedOperator, UpdatedSubscription } from "./outcome.ts";

export interface Decided {
  readonly operators: readonly ResolvedOperator[];
  readonly updated: readonly UpdatedSubscription[];
  readonly subscriptions: readonly Subscription[];
  /** The chosen bundles and all installed CSVs, those included that are about to be replaced. */
  readonly entries: readonly Entry[];
  /** Of the constraints that led to the choice. */
  readonly causes: readonly Cause[];
}

/**
 * The decision cut into parts that do not depend on one another. Operators hang together when one requires what the other
 * provides, before the change or after it, when an API goes from one to the other, and when one Subscription asks for both.
 * What stays installed links the operators that depend on it.
 */
export function* installSets(decided: Decided): Generator<undefined, readonly InstallSet[]> {
  const pace = new Pace();
  const links = new Links<Entry | Subscription>();
  const known = new Set(decided.entries);
  for (const cause of decided.causes) {
    const linked = linkedBy(cause);
    if (pace.spend(1 + linked.length / 100)) yield;
    if (cause.kind === "requires" && !known.has(cause.entry)) continue;
    const present = linked.filter((entry) => known.has(entry));
    const [first] = cause.kind === "wants" ? [cause.subscription] : present;
    for (const entry of present) if (first !== undefined) links.join(first, entry);
  }
  const entryOf = new Map<BundleSummary, Entry>();
  for (const entry of decided.entries) if (entry.summary !== undefined) entryOf.set(entry.summary, entry);
  const operators = Map.groupBy(decided.operators, ({ bundle, subscriptions }) => {
    const entry = entryOf.get(bundle);
    if (entry === undefined) throw new Error(`bundle ${bundle.name} was decided on but is not among the chosen`);
    for (const subscription of subscriptions) links.join(entry, subscription);
    return entry;
  });
  const sets = Map.groupBy(operators, ([entry]) => links.rootOf(entry));
  return [...sets].map(([root, members]) => ({
    operators: members.flatMap(([, list]) => list),
    updated: decided.updated.filter(({ subscription }) => links.rootOf(subscription) === root),
    subscriptions: decided.subscriptions.filter((subscription) => links.rootOf(subscription) === root),
  }));
}

/** Entries between which a constraint makes a link when they are chosen or installed. */
function linkedBy(cause: Cause): readonly Entry[] {
  switch (cause.kind) {
    case "requires":
      return [cause.entry, ...cause.candidates];
    case "wants":
      return cause.candidates;
    case "oneProvider":
    case "onePerPackage":
      return cause.entries;
    // Its Subscription wants both.
    case "replaces":
    case "unowned":
    case "deprecated":
    case "exists":
    case "missing":
    case "held":
      return [];
  }
}

/** Values in sets that only grow together. */
class Links<T> {
  readonly #parents = new Map<T, T>();

  rootOf(value: T): T {
    let root = value;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    if (root !== value) this.#parents.set(value, root);
    return root;
  }

  join(left: T, right: T): void {
    const [one, other] = [this.rootOf(left), this.rootOf(right)];
    if (one !== other) this.#parents.set(other, one);
  }
}
