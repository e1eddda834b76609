import { channelHeads, channelOrder } from "../upgrade-graph/channel-order.ts";
import type { ChannelEntry } from "../upgrade-graph/channel-entry.ts";
import { edgeFrom, type Installed } from "../upgrade-graph/successors.ts";
import { compareIdentifiers, compareVersions, parseVersion, type Version } from "../version.ts";
import type { BundleView, ChannelView, EntryView, PackageView } from "./catalog-view.ts";

/** An entry as something to go to. */
interface Stop extends ChannelEntry {
  readonly entry: EntryView;
  readonly parsed: Version | undefined;
  readonly isDeprecated: boolean;
}

/** Which way installations take through one channel when nobody interferes, by the rules of each family. */
export interface Journeys {
  /** The entry that nothing replaces or skips, when there is exactly one. */
  readonly head: EntryView | undefined;
  /** The name that the next update brings; undefined when there is none. */
  next(rules: Rules, from: Installed): string | undefined;
  /** All names passed, from what is installed (left out) to where no update comes any more. */
  way(rules: Rules, from: Installed): readonly string[];
}

export type Rules = "v0" | "v1";

/** Something installed, as its bundle describes it. */
export const installedAs = ({ name, version }: Pick<BundleView, "name" | "version">): Installed => ({ name, version });

export function journeysOf(one: PackageView, channel: ChannelView): Journeys {
  const stops = channel.entries.map((entry) => stopOf(one, entry));
  const order = channelOrder(stops, channel.name, one.name);
  const byChoice = [...stops].sort(v1Order);
  const byName = new Map(stops.map((stop) => [stop.name, stop]));
  const heads = channelHeads(stops);
  const next = (rules: Rules, from: Installed): string | undefined => {
    const candidates = rules === "v1" ? byChoice : order.ok ? order.value : [];
    const self = byName.get(from.name);
    for (const candidate of candidates) {
      // v1 keeps what is installed when nothing that may follow is better.
      if (rules === "v1" && candidate === self) return undefined;
      // An entry whose range holds its own version follows on itself, before those behind it.
      if (edgeFrom(candidate, from) !== undefined) return candidate === self ? undefined : candidate.name;
    }
    return undefined;
  };
  return {
    head: heads.length === 1 ? heads[0]?.entry : undefined,
    next,
    way(rules, from) {
      const passed: string[] = [];
      for (let at = from; ;) {
        const name = next(rules, at);
        if (name === undefined || name === from.name || passed.includes(name)) return passed;
        passed.push(name);
        at = { name, version: byName.get(name)?.parsed };
      }
    },
  };
}

function stopOf({ deprecations }: PackageView, entry: EntryView): Stop {
  const { name, replaces, skips, skipRange, bundle } = entry;
  return {
    name,
    replaces: replaces === "" ? undefined : replaces,
    skips,
    skipRange: skipRange === "" ? undefined : skipRange,
    version: bundle?.content.versions[0]?.version ?? "",
    entry,
    parsed: bundle?.version,
    isDeprecated: deprecations.bundles.has(name),
  };
}

/** Deprecated ones last, then the highest version and release first. */
function v1Order(left: Stop, right: Stop): number {
  if (left.isDeprecated !== right.isDeprecated) return left.isDeprecated ? 1 : -1;
  const [a, b] = [left.entry.bundle, right.entry.bundle];
  if (a?.version === undefined || b?.version === undefined)
    return Number(a?.version === undefined) - Number(b?.version === undefined);
  return compareBundles(b, a);
}

/** By version, then by release; build metadata counts as the release where there is none. */
export function compareBundles(left: BundleView, right: BundleView): number {
  if (left.version === undefined || right.version === undefined) return 0;
  return compareVersions(left.version, right.version) || compareIdentifiers(releaseOf(left), releaseOf(right));
}

function releaseOf({ version, release }: BundleView): Version["prerelease"] {
  const text = release ?? version?.build.join(".") ?? "";
  const parsed = text === "" ? undefined : parseVersion(`0.0.0-${text}`);
  return parsed?.ok === true ? parsed.value.prerelease : [];
}
