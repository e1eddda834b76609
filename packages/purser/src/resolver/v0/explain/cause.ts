import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { Entry, GroupVersionKind } from "../entry.ts";
import { entryId, formatGvk } from "../entry.ts";
import type { Hold } from "../input.ts";
import type { Predicate } from "../predicate.ts";
import { formatPredicate } from "../predicate.ts";
import type { MissingStage } from "../subscription-candidates.ts";

/** Why a constraint exists; every constraint of a namespace has one. */
export type Cause =
  | { readonly kind: "unowned"; readonly entry: Entry }
  | { readonly kind: "deprecated"; readonly entry: Entry }
  | {
      readonly kind: "requires";
      readonly entry: Entry;
      readonly predicate: Predicate;
      readonly candidates: readonly Entry[];
    }
  | { readonly kind: "replaces"; readonly entry: Entry; readonly current: Entry }
  | { readonly kind: "exists"; readonly subscription: Subscription }
  | {
      readonly kind: "missing";
      readonly subscription: Subscription;
      readonly stage: MissingStage;
      readonly message: string;
    }
  | {
      readonly kind: "wants";
      readonly subscription: Subscription;
      /** As upstream lists them, installed one last. */
      readonly candidates: readonly Entry[];
      readonly current: Entry | undefined;
    }
  | { readonly kind: "oneProvider"; readonly api: GroupVersionKind; readonly entries: readonly Entry[] }
  | { readonly kind: "onePerPackage"; readonly packageName: string; readonly entries: readonly Entry[] }
  | { readonly kind: "held"; readonly entry: Entry; readonly hold: Hold };

/** `a`, `a and b`, `a, b and c` */
function listed(texts: readonly string[], joint: "and" | "or"): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} ${joint} ${last}`;
}

const sortedIds = (entries: readonly Entry[]): readonly string[] => entries.map(entryId).sort();

/** OLM's text of the constraint; tools match on it. */
export function upstreamText(cause: Cause): string {
  switch (cause.kind) {
    case "unowned":
      return `clusterserviceversion ${cause.entry.name} exists and is not referenced by a subscription`;
    case "deprecated":
      return `bundle ${entryId(cause.entry)} is deprecated`;
    case "requires":
      return `bundle ${cause.entry.name} requires an operator ${formatPredicate(cause.predicate)}`;
    case "replaces":
      return `${entryId(cause.entry)} conflicts with ${entryId(cause.current)}`;
    case "exists":
      return `subscription ${cause.subscription.metadata.name ?? ""} exists`;
    case "missing":
      return cause.message;
    case "wants": {
      const name = cause.subscription.metadata.name ?? "";
      const ids = cause.candidates.map(entryId);
      if (ids.length === 0) return `no operators found matching the criteria of subscription ${name}`;
      return ids.length === 1
        ? `subscription ${name} requires ${ids[0]}`
        : `subscription ${name} requires at least one of ${listed(ids, "or")}`;
    }
    case "oneProvider":
      return `${listed(sortedIds(cause.entries), "and")} provide ${formatGvk(cause.api)}`;
    case "onePerPackage":
      return `${listed(sortedIds(cause.entries), "and")} originate from package ${cause.packageName}`;
    case "held":
      return `bundle ${entryId(cause.entry)} is held: ${cause.hold.reason}`;
  }
}
