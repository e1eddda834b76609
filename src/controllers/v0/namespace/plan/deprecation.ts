import type { Subscription, SubscriptionCondition, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { formatTime } from "../../../../clock.ts";
import { conditionOf, setCondition, withoutConditions } from "./subscription-condition.ts";
import type { CatalogInScope } from "./world.ts";

const parts = ["PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"] as const;

/** Shows what the Subscription's catalog says is deprecated about the installed bundle, its channel and its package. */
export function projectDeprecation(
  { spec }: Subscription,
  status: SubscriptionStatus,
  catalogs: readonly CatalogInScope[],
  now: number,
): SubscriptionStatus {
  const catalog = catalogs.find(
    ({ source }) => source.metadata.name === spec.source && source.metadata.namespace === spec.sourceNamespace,
  );
  const found = catalog?.index?.package(spec.name);
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
  const lastTransitionTime = formatTime(now);
  let conditions = status.conditions ?? [];
  const show = (type: SubscriptionCondition["type"], message: string | undefined): void => {
    if (message !== undefined)
      conditions = setCondition(conditions, { type, status: "True", message, lastTransitionTime });
    else if (conditionOf(conditions, type) !== undefined) conditions = withoutConditions(conditions, type);
  };
  for (const part of parts) show(part, texts[part]);
  const messages = parts.flatMap((part) => texts[part] ?? []);
  // The summary follows the three; on its own it is left as it is.
  if (parts.some((part) => conditionOf(conditions, part)?.message !== conditionOf(status.conditions, part)?.message))
    show("Deprecated", messages.length === 0 ? undefined : messages.join("; "));
  return conditions === status.conditions || (conditions.length === 0 && status.conditions === undefined)
    ? status
    : { ...status, conditions };
}
