import type { Subscription, SubscriptionCondition, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { formatTime } from "@purser/kubernetes/clock";
import { conditionOf, setCondition, withoutConditions } from "./subscription-condition.ts";
import type { CatalogInScope } from "./world.ts";

const parts = ["PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"] as const;

/**
 * Shows what the Subscription's catalog says is deprecated about the installed bundle, its channel and its package.
 * As in OLM's `updateDeprecatedStatus` a condition is written when its message changes and removed when it is `True`;
 * the summary `Deprecated` follows those three and is left alone when none of them changes.
 */
export function projectDeprecation(
  { spec }: Subscription,
  status: SubscriptionStatus,
  catalogs: readonly CatalogInScope[],
  now: number,
): SubscriptionStatus {
  const catalog = catalogs.find(
    ({ source }) => source.metadata.name === spec.source && source.metadata.namespace === spec.sourceNamespace,
  );
  const found = catalog?.content.kind === "present" ? catalog.content.index.package(spec.name) : undefined;
  const bundle = found?.channels
    .filter((channel) => spec.channel === undefined || spec.channel === "" || channel.name === spec.channel)
    .flatMap((channel) => channel.bundles.map((entry) => ({ channel, entry })))
    .find(({ entry }) => entry.name === status.installedCSV);
  if (found === undefined || bundle === undefined) return status;
  const named = spec.channel !== undefined && spec.channel !== "";
  const texts: Readonly<Record<(typeof parts)[number], string | undefined>> = {
    PackageDeprecated: found.deprecation === undefined ? undefined : `olm.package/${found.name}: ${found.deprecation}`,
    ChannelDeprecated:
      !named || bundle.channel.deprecation === undefined
        ? undefined
        : `olm.channel/${bundle.channel.name}: ${bundle.channel.deprecation}`,
    BundleDeprecated:
      bundle.entry.deprecation === undefined
        ? undefined
        : `olm.bundle/${bundle.entry.name}: ${bundle.entry.deprecation}`,
  };
  const held = status.conditions ?? [];
  const changes = parts.filter((part) => {
    const before = conditionOf(held, part);
    return texts[part] === undefined ? before?.status === "True" : (before?.message ?? "") !== texts[part];
  });
  if (changes.length === 0) return status;
  const lastTransitionTime = formatTime(now);
  const summary = parts.flatMap((part) => texts[part] ?? []).join("; ");
  const shown = [...changes.map((part) => [part, texts[part]] as const), ["Deprecated", summary || undefined] as const];
  const conditions = shown.reduce<readonly SubscriptionCondition[]>(
    (so, [type, message]) =>
      message === undefined
        ? withoutConditions(so, type)
        : setCondition(so, { type, status: "True", message, lastTransitionTime }),
    held,
  );
  return { ...status, conditions };
}
