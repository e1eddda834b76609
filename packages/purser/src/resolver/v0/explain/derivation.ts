import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { Reason } from "../../../explanation/explanation.ts";
import { listOf } from "../../../explanation/summary.ts";
import { Pace } from "../../pace.ts";
import type { Cause } from "./cause.ts";
import { upstreamText } from "./cause.ts";
import type { Entry } from "../entry.ts";
import { entryId, formatGvk } from "../entry.ts";
import { predicateWords } from "./predicate-words.ts";

export const subscriptionName = (subscription: Subscription): string => subscription.metadata.name ?? "";

/** `a.v1` for installed CSVs, else with channel and catalog, so that two bundles of one name are distinguishable. */
export function bundleWords(entry: Entry): string {
  const { key, installed } = entry.origin;
  return installed ? `installed ${entry.name}` : `${entry.name} (${entry.channel} of ${key.namespace}/${key.name})`;
}

/** Names of bundles; with their origin when names alone are ambiguous. */
export function namesOf(entries: readonly Entry[]): readonly string[] {
  const different = [...new Set(entries)];
  const names = new Set(different.map(({ name }) => name));
  return names.size === different.length ? [...names] : different.map(bundleWords);
}

/** What a Subscription asks for, such as `package etcd, channel stable, catalog olm/cat`. */
export function requestWords({ spec }: Subscription): string {
  const parts = [`package ${spec.name}`];
  if (spec.channel) parts.push(`channel ${spec.channel}`);
  if (spec.source || spec.sourceNamespace) parts.push(`catalog ${spec.sourceNamespace}/${spec.source}`);
  return parts.join(", ");
}

function wantsText(cause: Extract<Cause, { readonly kind: "wants" }>): string {
  const { current } = cause;
  const name = subscriptionName(cause.subscription);
  const upgrades = cause.candidates.filter((candidate) => candidate !== current);
  if (current === undefined) {
    if (upgrades.length === 0) return `No bundle in the channel of Subscription ${name} can be chosen: all are skipped`;
    return `Subscription ${name} can only be served by ${listOf(namesOf(upgrades), 5, "or")}`;
  }
  return upgrades.length === 0
    ? `Subscription ${name} has ${current.name} installed and the catalog offers no direct upgrade from it`
    : `Subscription ${name} has ${current.name} installed and can only keep it or move to ${listOf(namesOf(upgrades), 5, "or")}`;
}

function leafText(cause: Cause): string {
  switch (cause.kind) {
    case "unowned":
      return `${cause.entry.name} is installed in ${cause.entry.origin.key.namespace} and no Subscription owns it, so it must stay as it is`;
    case "deprecated":
      return `${bundleWords(cause.entry)} has the property olm.deprecated, so it is never chosen`;
    case "held":
      return `${bundleWords(cause.entry)} is held: ${cause.hold.reason}`;
    case "requires": {
      const wanted = `${bundleWords(cause.entry)} requires ${predicateWords(cause.predicate)}`;
      return cause.candidates.length === 0
        ? `${wanted}, which nothing provides`
        : `${wanted}, which only ${listOf(namesOf(cause.candidates), 5)} can meet`;
    }
    case "replaces":
      return `${bundleWords(cause.entry)} replaces ${cause.current.name}, so both cannot be installed`;
    case "exists":
      return `Subscription ${subscriptionName(cause.subscription)} asks for ${requestWords(cause.subscription)}`;
    case "missing":
      switch (cause.stage) {
        case "catalog":
          return `Catalog ${cause.subscription.spec.sourceNamespace}/${cause.subscription.spec.source} offers no bundle for this namespace`;
        case "package":
          return `The catalog has no package ${cause.subscription.spec.name}`;
        case "channel":
          return `Package ${cause.subscription.spec.name} has no channel ${cause.subscription.spec.channel ?? ""}`;
        case "startingCSV":
          return `The channel has no bundle ${cause.subscription.spec.startingCSV ?? ""}, which startingCSV names`;
      }
    // falls through is impossible: every stage has returned
    case "wants":
      return wantsText(cause);
    case "oneProvider":
      return `Only one operator in a namespace may provide ${formatGvk(cause.api)}; ${listOf(namesOf(cause.entries), 5)} would each provide it`;
    case "onePerPackage":
      return `Only one bundle of package ${cause.packageName} may be in a namespace; ${listOf(namesOf(cause.entries), 5)} all belong to it`;
  }
}

const relations: Readonly<Record<Cause["kind"], Reason["relation"]>> = {
  unowned: "installed",
  deprecated: "excluded",
  held: "excluded",
  requires: "requires",
  replaces: "conflicts",
  exists: "requested",
  missing: "excluded",
  wants: "provided",
  oneProvider: "conflicts",
  onePerPackage: "conflicts",
};

function subjectOf(cause: Cause): string {
  switch (cause.kind) {
    case "exists":
    case "missing":
    case "wants":
      return `Subscription ${subscriptionName(cause.subscription)}`;
    case "oneProvider":
      return formatGvk(cause.api);
    case "onePerPackage":
      return `package ${cause.packageName}`;
    case "unowned":
    case "deprecated":
    case "held":
    case "requires":
    case "replaces":
      return entryId(cause.entry);
  }
}

/** One constraint as a leaf; it keeps OLM's text. */
const leafOf = (cause: Cause): Reason => ({
  relation: relations[cause.kind],
  subject: subjectOf(cause),
  text: leafText(cause),
  upstream: upstreamText(cause),
});

/** Deepest nesting of reasons; deeper ones are listed beside the requests. */
const maxDepth = 100;

/**
 * A minimal conflict as a graph of reasons: each constraint is exactly one leaf, hung under the request or the bundle
 * that brought it up, outermost request first.
 */
export function* derivationOf(causes: readonly Cause[]): Generator<undefined, readonly Reason[]> {
  const leaves = new Map<Cause, Reason>();
  const pace = new Pace();
  for (const cause of causes) {
    if (pace.spend(1)) yield;
    leaves.set(cause, leafOf(cause));
  }
  const leafAt = (cause: Cause): Reason => leaves.get(cause) ?? leafOf(cause);
  const waiting = new Set(causes);
  const ofEntry = Map.groupBy(
    causes.filter((cause) => "entry" in cause),
    (cause) => cause.entry,
  );

  const candidateReasons = (candidates: readonly Entry[], depth: number): readonly Reason[] =>
    [...new Set(candidates)].flatMap((candidate) => {
      const reasons = depth < maxDepth ? entryReasons(candidate, depth + 1) : [];
      const [only] = reasons;
      if (only === undefined) return [];
      if (reasons.length === 1) return [only];
      const text = `${bundleWords(candidate)} has requirements of its own`;
      return [{ relation: "excluded", subject: entryId(candidate), text, because: reasons } as const];
    });
  const entryReasons = (entry: Entry, depth: number): readonly Reason[] =>
    (ofEntry.get(entry) ?? []).flatMap((cause) => {
      if (!waiting.delete(cause)) return [];
      return cause.kind === "requires"
        ? [leafAt(cause), ...candidateReasons(cause.candidates, depth)]
        : [leafAt(cause)];
    });

  const subscriptions = Map.groupBy(
    causes.filter((cause) => "subscription" in cause),
    (cause) => cause.subscription,
  );
  const found: Reason[] = [];
  for (const [subscription, own] of subscriptions) {
    const because = own.flatMap((cause) => {
      waiting.delete(cause);
      return cause.kind === "wants" ? [leafAt(cause), ...candidateReasons(cause.candidates, 0)] : [leafAt(cause)];
    });
    const text = `Subscription ${subscriptionName(subscription)} cannot get what it asks for`;
    found.push({ relation: "requested", subject: `Subscription ${subscriptionName(subscription)}`, text, because });
  }
  for (const cause of causes) {
    if (!waiting.has(cause) || cause.kind !== "unowned") continue;
    const because = entryReasons(cause.entry, 0);
    const text = `${cause.entry.name} cannot stay as it is`;
    found.push({ relation: "installed", subject: entryId(cause.entry), text, because });
  }
  for (const cause of causes) if (waiting.delete(cause)) found.push(leafAt(cause));
  return found;
}
