import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";

/** Upgrades that have begun and not ended: both CSVs exist. Names of CSVs. */
export interface UnfinishedUpgrades {
  /** Those that a subscribed CSV replaces, directly or through others. They are deleted when it has succeeded. */
  readonly replaced: ReadonlySet<string>;
  /** The subscribed CSVs that replace them and must not be upgraded themselves yet. */
  readonly upgrading: ReadonlySet<string>;
}

export const noUpgrades: UnfinishedUpgrades = { replaced: new Set(), upgrading: new Set() };

/**
 * The upgrades under way among the CSVs of a namespace. A replaced CSV that a Subscription still names as installed, or
 * that replaces its own successor, is none.
 * @param failForward a failed CSV may be upgraded as soon as all that it replaces are in phase `Replacing`
 */
export function unfinishedUpgrades(
  csvs: readonly ClusterServiceVersion[],
  subscriptions: readonly Subscription[],
  failForward: boolean,
): UnfinishedUpgrades {
  const claimed = new Set(subscriptions.map(({ status }) => status?.installedCSV ?? "").filter((name) => name !== ""));
  const replacing = Map.groupBy(csvs, ({ spec }) => spec.replaces ?? "");
  const replaced = new Set<string>();
  const upgrading = new Set<string>();
  for (const csv of csvs) {
    const name = csv.metadata.name ?? "";
    if (claimed.has(name)) continue;
    const after = successorsOf(name, replacing);
    const subscribed = after.filter((other) => claimed.has(other.metadata.name ?? ""));
    if (subscribed.length === 0 || after.includes(csv)) continue;
    replaced.add(name);
    for (const { metadata, status } of subscribed)
      if (!failForward || status?.phase !== "Failed" || csv.status?.phase !== "Replacing")
        upgrading.add(metadata.name ?? "");
  }
  return { replaced, upgrading };
}

/** All CSVs that replace the named one, directly or through others; the named one itself when they run in a circle. */
function successorsOf(
  name: string,
  replacing: ReadonlyMap<string, readonly ClusterServiceVersion[]>,
): readonly ClusterServiceVersion[] {
  const found = new Set(replacing.get(name));
  for (const csv of found) for (const next of replacing.get(csv.metadata.name ?? "") ?? []) found.add(next);
  return [...found];
}
