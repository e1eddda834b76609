import { compareBytes } from "@purser/kubernetes/text/members";
import type { Subscription, SubscriptionSpec } from "../../apis/v0/subscription.ts";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { ChannelOrderProblem } from "../../upgrade-graph/channel-order.ts";
import { channelOrderSteps } from "../../upgrade-graph/channel-order.ts";
import type { Pace } from "../pace.ts";
import { edgeFrom } from "../../upgrade-graph/successors.ts";
import type { Scope } from "./catalogs-in-scope.ts";
import { sameKey } from "./catalogs-in-scope.ts";
import type { Entry } from "./entry.ts";
import { isOfPackage, versionsOf } from "./entry.ts";

/** The first part of a Subscription's request that the catalog does not contain. */
export type MissingStage = "catalog" | "package" | "channel" | "startingCSV";

export type SubscriptionCandidates =
  | { readonly kind: "missing"; readonly stage: MissingStage; readonly message: string }
  | {
      readonly kind: "found";
      /** Most wanted first. */
      readonly candidates: readonly Entry[];
    };

interface InSource {
  /** Whether there is anything at all where the source fields point. */
  readonly any: boolean;
  /** What of it belongs to the package. */
  readonly entries: readonly Entry[];
}

/** Entries that the Subscription's source fields point at. */
function* entriesInSource(subscription: Subscription, scope: Scope, pace: Pace): Generator<undefined, InSource> {
  const spec: Partial<SubscriptionSpec> = subscription.spec;
  const { name = "", source = "", sourceNamespace = "" } = spec;
  if (source === "" && sourceNamespace === "") return yield* entriesAnywhere(name, scope, pace);
  const snapshot = scope.catalogs.find(({ origin }) =>
    sameKey(origin.key, { name: source, namespace: sourceNamespace }),
  );
  if (snapshot === undefined) return { any: false, entries: [] };
  const entries = yield* snapshot.entriesOf(name, pace);
  // Whether there is anything else is only looked at when the package is not there.
  return { any: entries.length > 0 || !snapshot.isEmpty, entries };
}

/** Without source fields every catalog in scope is asked, and the installed operators with them. */
function* entriesAnywhere(name: string, scope: Scope, pace: Pace): Generator<undefined, InSource> {
  const places = [{ priority: 0, name: "@existing", namespace: scope.namespace, entries: scope.installed }];
  for (const snapshot of scope.catalogs) {
    const { key, priority } = snapshot.origin;
    places.push({ priority, ...key, entries: yield* snapshot.entriesOf(name, pace) });
  }
  places.sort(
    (left, right) =>
      right.priority - left.priority ||
      compareBytes(left.name, right.name) ||
      compareBytes(left.namespace, right.namespace),
  );
  const entries = places.flatMap((place) => place.entries).filter((entry) => isOfPackage(entry, name));
  const any = entries.length > 0 || scope.installed.length > 0 || scope.catalogs.some((snapshot) => !snapshot.isEmpty);
  return { any, entries };
}

function* inChannelOrder(
  entries: readonly Entry[],
): Generator<undefined, Result<readonly Entry[], ChannelOrderProblem>> {
  const sorted = entries.toSorted(
    (left, right) =>
      Number(right.inDefaultChannel) - Number(left.inDefaultChannel) || compareBytes(left.channel, right.channel),
  );
  const found: Entry[] = [];
  for (let start = 0; start < sorted.length;) {
    const first = sorted[start];
    let end = start + 1;
    while (sorted[end]?.channel === first?.channel && end < sorted.length) end++;
    const order = yield* channelOrderSteps(sorted.slice(start, end), first?.channel ?? "", first?.packageName ?? "");
    if (!order.ok) return order;
    for (const entry of order.value) found.push(entry);
    start = end;
  }
  return done(found);
}

/** Whether the catalog lets an installed operator be upgraded to the entry directly. */
function upgrades(entry: Entry, current: Entry): boolean {
  return edgeFrom(entry, { name: current.name, version: versionsOf(current).own }) !== undefined;
}

/**
 * What a Subscription may get: without an installed operator every entry of its channel (or the one it starts from), else
 * the direct upgrades.
 */
export function* subscriptionCandidates(
  subscription: Subscription,
  current: Entry | undefined,
  scope: Scope,
  pace: Pace,
): Generator<undefined, Result<SubscriptionCandidates, ChannelOrderProblem>> {
  const { spec } = subscription;
  const { name: packageName, channel = "", startingCSV = "" } = spec;
  const referenced = `in the catalog referenced by subscription ${subscription.metadata.name ?? ""}`;
  const missing = (stage: MissingStage, message: string): Result<SubscriptionCandidates, never> =>
    done({ kind: "missing", stage, message });
  const { any, entries: ofPackage } = yield* entriesInSource(subscription, scope, pace);
  if (!any)
    return missing(
      "catalog",
      `no operators found from catalog ${spec.source} in namespace ${spec.sourceNamespace} referenced by subscription ${subscription.metadata.name ?? ""}`,
    );
  if (ofPackage.length === 0) return missing("package", `no operators found in package ${packageName} ${referenced}`);
  const inChannel = channel === "" ? ofPackage : ofPackage.filter((entry) => entry.channel === channel);
  if (inChannel.length === 0)
    return missing("channel", `no operators found in channel ${channel} of package ${packageName} ${referenced}`);
  const wanted =
    current === undefined && startingCSV !== "" ? inChannel.filter((entry) => entry.name === startingCSV) : inChannel;
  if (wanted.length === 0)
    return missing(
      "startingCSV",
      `no operators found with name ${startingCSV} in channel ${channel} of package ${packageName} ${referenced}`,
    );
  const sorted = yield* inChannelOrder(wanted);
  if (!sorted.ok) return sorted;
  const allowed: Entry[] = [];
  for (const entry of sorted.value) {
    if (pace.spend(current === undefined ? 0.1 : 1)) yield;
    if (current === undefined || upgrades(entry, current)) allowed.push(entry);
  }
  const [first] = wanted;
  if (wanted.every((entry) => entry.channel === first?.channel && entry.origin === first.origin))
    return done({ kind: "found", candidates: allowed });
  const byName = Map.groupBy(wanted, (entry) => entry.name);
  // Upstream takes, for each of them, every entry of that name, in random order and again for each; here each comes once.
  const candidates = new Set(allowed.flatMap((entry) => [entry, ...(byName.get(entry.name) ?? [])]));
  return done({ kind: "found", candidates: [...candidates] });
}
