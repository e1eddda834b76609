import { parseBlangRange } from "../../version-range.ts";
import { compareVersions, type Version } from "@purser/kubernetes/version";
import type { ChannelEntryContent } from "../model.ts";

/** The part of a catalog that `opm alpha render-graph` draws. */
export interface GraphFilter {
  /** Entry that is the floor of its package: nothing below it is drawn. */
  readonly minimumEdge?: string;
  readonly packageName?: string;
}

export interface GraphChannel {
  readonly packageName: string;
  readonly name: string;
  readonly entries: readonly ChannelEntryContent[];
}

const zero: Version = { major: 0n, minor: 0n, patch: 0n, prerelease: [], build: [] };

/** An entry that is no bundle counts as version 0.0.0. */
export function versionOf(versions: ReadonlyMap<string, Version>, name: string): Version {
  return versions.get(name) ?? zero;
}

/** The part of a channel that the filter leaves; undefined when nothing is left. */
export function filterChannel(
  channel: GraphChannel,
  filter: GraphFilter,
  versions: ReadonlyMap<string, Version>,
  floorPackage: string | undefined,
): GraphChannel | undefined {
  const { minimumEdge, packageName } = filter;
  if (minimumEdge === undefined && packageName === undefined) return channel;
  if (packageName !== undefined && channel.packageName !== packageName) return undefined;
  if (floorPackage !== undefined && channel.packageName !== floorPackage) return undefined;
  const entries =
    minimumEdge === undefined
      ? channel.entries
      : channel.entries.flatMap((entry) => aboveFloor(entry, minimumEdge, versions) ?? []);
  return entries.length === 0 ? undefined : { ...channel, entries };
}

function aboveFloor(
  entry: ChannelEntryContent,
  floorName: string,
  versions: ReadonlyMap<string, Version>,
): ChannelEntryContent | undefined {
  const bare = { name: entry.name, replaces: "", skips: [], skipRange: "" };
  if (entry.name === floorName) return bare;
  const floor = versionOf(versions, floorName);
  const isAbove = (name: string): boolean => compareVersions(versionOf(versions, name), floor) >= 0;
  const range = entry.skipRange === "" ? undefined : parseBlangRange(entry.skipRange);
  const kept = {
    name: entry.name,
    replaces: entry.replaces !== "" && isAbove(entry.replaces) ? entry.replaces : "",
    skips: entry.skips.filter(isAbove),
    skipRange: range?.ok === true && range.value.includes(floor) ? entry.skipRange : "",
  };
  if (hasEdges(kept)) return kept;
  return !hasEdges(entry) && isAbove(entry.name) ? bare : undefined;
}

function hasEdges({ replaces, skips, skipRange }: ChannelEntryContent): boolean {
  return replaces !== "" || skips.length > 0 || skipRange !== "";
}
