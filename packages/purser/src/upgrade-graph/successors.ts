import type { Result } from "@purser/kubernetes/result";
import type { Version } from "@purser/kubernetes/version";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import type { VersionRange } from "../version-range.ts";
import { parseBlangRange } from "../version-range.ts";
import type { ChannelEntry, EdgeKind } from "./channel-entry.ts";

const ranges = new Map<string, Result<VersionRange, unknown>>();

/** A skip range; undefined when there is none or it cannot be read, which upstream ignores. */
export function skipRangeOf(text: string | undefined): VersionRange | undefined {
  if (text === undefined || text === "") return undefined;
  let parsed = ranges.get(text);
  if (parsed === undefined) {
    // Catalogs repeat few ranges many times; the bound limits the memory that a hostile catalog can fill.
    if (ranges.size > 4096) ranges.clear();
    parsed = parseBlangRange(text);
    ranges.set(text, parsed);
  }
  return parsed.ok ? parsed.value : undefined;
}

/** Something that may be upgraded from: a name, and a version when it is known. */
export interface Installed {
  readonly name: string;
  readonly version: Version | undefined;
}

/**
 * How the entry can upgrade what is installed: the strongest of its edges; undefined when it cannot.
 * OLM v0 and v1 read edges alike; they differ in which of several successors they choose.
 */
export function edgeFrom(entry: ChannelEntry, installed: Installed): EdgeKind | undefined {
  if (entry.replaces === installed.name) return "replaces";
  if (entry.skips.includes(installed.name)) return "skips";
  const { version } = installed;
  return version !== undefined && skipRangeOf(entry.skipRange)?.includes(version) === true ? "skipRange" : undefined;
}

/** A channel entry as something installed. */
export function installedFrom(entry: ChannelEntry): Installed {
  const version = parseTolerantVersion(entry.version);
  return { name: entry.name, version: version.ok ? version.value : undefined };
}
