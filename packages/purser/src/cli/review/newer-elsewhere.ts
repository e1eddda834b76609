import { listOf, shellWord } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import type { PolicyBundle } from "../../policy/verdict.ts";
import { parseMastermindsRange } from "../../version-range.ts";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { newerBundles } from "../policy/held-newer.ts";
import { holdsOnInstallation, packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import { plannedUpgrade, type UpgradeWish } from "./planned-upgrade.ts";

/**
 * Newer versions of the package that the installation does not get, by what keeps each away: its channel, its version range, a
 * policy, or that no upgrade leads there; below, the commands that move it and work. Empty when the catalogs have none.
 */
export async function newerElsewhere(opened: OpenedWorld, installation: Installation): Promise<readonly string[]> {
  const { reference, version } = installation;
  const entries = packagesOfInstallation(opened.world, installation).flatMap((one) =>
    one.channels.flatMap(({ bundles }) => bundles),
  );
  const newer = newerBundles(entries, version);
  const { channels, range } = wishesOf(opened, installation);
  const { held } = holdsOnInstallation(opened.world, installation);
  const channelsOf = (wanted: string): readonly string[] =>
    entries.filter((entry) => entry.version === wanted).map(({ channel }) => channel);
  const keeper = (bundle: PolicyBundle): string => {
    const hold = held.find(({ bundles }) => bundles.includes(bundle.name));
    if (hold !== undefined) return `held back by ${hold.reason}`;
    const own = channelsOf(bundle.version);
    if (channels.length > 0 && !own.some((channel) => channels.includes(channel)))
      return `in channel ${listOf([...new Set(own)], 2, "or")}, not in ${listOf(channels, 2, "or")}`;
    return range !== undefined && !isIn(range, bundle.version)
      ? `outside of its version range ${range}`
      : `no upgrade leads there from ${version}`;
  };
  const kept = Map.groupBy(newer, keeper);
  const lines = [...kept].map(([why, own]) => `  newer     ${listOf(own.map((one) => one.version))}: ${why}`);
  const commands: string[] = [];
  for (const own of [...kept.values()].slice(0, mostWays)) {
    const [newest] = own;
    if (newest === undefined) continue;
    const [first] = channelsOf(newest.version);
    const isElsewhere = channels.length > 0 && !channelsOf(newest.version).some((one) => channels.includes(one));
    const isOutside = range !== undefined && !isIn(range, newest.version);
    const wish: UpgradeWish = {
      to: isOutside ? newest.version : undefined,
      channel: isElsewhere ? first : undefined,
    };
    if (wish.to === undefined && wish.channel === undefined) continue;
    const planned = await plannedUpgrade(opened, installation, wish);
    if (!planned.ok || planned.value.target === version) continue;
    const to = wish.to === undefined ? "" : ` --to ${shellWord(wish.to)}`;
    const channel = wish.channel === undefined ? "" : ` --channel ${shellWord(wish.channel)}`;
    commands.push(`purser upgrade ${reference}${to}${channel}`);
  }
  const [best] = commands;
  return [...lines.slice(0, mostLines), ...(best === undefined ? [] : [`Next: ${best}`])];
}

/** Limits of what is tried and shown. */
const mostWays = 3;
const mostLines = 4;

function wishesOf(
  { world }: OpenedWorld,
  { api, name, namespace }: Installation,
): { readonly channels: readonly string[]; readonly range: string | undefined } {
  const { subscriptions, clusterExtensions } = world.snapshot;
  if (api === "v1") {
    const filter = clusterExtensions.find(({ metadata }) => metadata.name === name)?.spec?.source.catalog;
    return { channels: filter?.channels ?? [], range: filter?.version };
  }
  const own = subscriptions.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const channel = own?.spec.channel ?? "";
  return { channels: channel === "" ? [] : [channel], range: undefined };
}

function isIn(range: string, text: string): boolean {
  const read = parseMastermindsRange(range);
  const version = parseTolerantVersion(text);
  return read.ok && version.ok && read.value.includes(version.value);
}
