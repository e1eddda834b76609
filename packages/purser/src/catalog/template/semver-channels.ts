import type { JsonObject } from "@purser/kubernetes/json";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { compareVersions, type Version } from "@purser/kubernetes/version";
import { type Archetype, archetypes, type ChannelKind, type SemverTemplate } from "./semver-template.ts";

/** Names and versions of an archetype's bundles; no two versions compare as equal. */
export type ArchetypeVersions = ReadonlyMap<string, Version>;

interface Entry {
  readonly name: string;
  readonly version: Version;
  replaces: string;
  skips: readonly string[];
}

interface Channel {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly archetype: Archetype;
  readonly entries: Entry[];
}

export interface GeneratedChannels {
  /** Sorted by name. */
  readonly channels: readonly { readonly name: string; readonly entries: readonly JsonObject[] }[];
  /** "" when there is no default channel: only candidates below 0.0.0. */
  readonly defaultChannel: string;
}

/** The channels of a semver template with their edges, and the default one. */
export function generateChannels(
  { kinds, preference }: Pick<SemverTemplate, "kinds" | "preference">,
  versions: Readonly<Record<Archetype, ArchetypeVersions>>,
): GeneratedChannels {
  const channels = new Map<string, Channel>();
  const best = new HighWaterMark(preference);
  for (const archetype of archetypes) {
    const ascending = [...versions[archetype]].sort(([, a], [, b]) => compareVersions(a, b));
    for (const [name, version] of ascending) {
      for (const kind of kinds) {
        const channelName = `${archetype}-v${version.major}${kind === "minor" ? `.${version.minor}` : ""}`;
        let channel = channels.get(channelName);
        if (channel === undefined) {
          channel = { name: channelName, kind, archetype, entries: [] };
          channels.set(channelName, channel);
          best.offer(channel, version);
        }
        channel.entries.push({ name, version, replaces: "", skips: [] });
      }
    }
    for (const kind of kinds) {
      const ofKind = [...channels.values()].filter(
        (channel) => channel.archetype === archetype && channel.kind === kind,
      );
      const entries = ofKind
        .flatMap((channel) => channel.entries)
        .sort((a, b) => compareVersions(a.version, b.version));
      link(entries);
    }
  }
  return {
    channels: [...channels.values()]
      .sort((a, b) => compareBytes(a.name, b.name))
      .map(({ name, entries }) => ({ name, entries: entries.map(entryJson) })),
    defaultChannel: best.name,
  };
}

function entryJson({ name, replaces, skips }: Entry): JsonObject {
  return { name, ...(replaces === "" ? {} : { replaces }), ...(skips.length === 0 ? {} : { skips }) };
}

/**
 * Gives edges to the last entry of every minor version: it replaces the last one of the minor version before it and
 * skips everything else below it. Nothing crosses a major version.
 * @param entries of one archetype and kind, ascending
 */
function link(entries: readonly Entry[]): void {
  let below: string[] = [];
  let lastOfPreviousMinor = "";
  for (const [index, entry] of entries.entries()) {
    const next = entries[index + 1];
    const endsMajor = next === undefined || next.version.major !== entry.version.major;
    const endsMinor = endsMajor || next.version.minor !== entry.version.minor;
    if (endsMinor) {
      entry.replaces = lastOfPreviousMinor;
      entry.skips = below.filter((name) => name !== entry.replaces).sort(compareBytes);
      lastOfPreviousMinor = entry.name;
    }
    below.push(entry.name);
    if (endsMajor) {
      below = [];
      lastOfPreviousMinor = "";
    }
  }
}

const zero: Version = { major: 0n, minor: 0n, patch: 0n, prerelease: [], build: [] };

/** Remembers the most stable channel by the version that opened it, not by its head: upstream decides so. */
class HighWaterMark {
  readonly #preference: ChannelKind;
  #archetype: Archetype = "candidate";
  #version = zero;
  #kind: ChannelKind | undefined;
  name = "";

  constructor(preference: ChannelKind) {
    this.#preference = preference;
  }

  offer({ name, kind, archetype }: Channel, version: Version): void {
    if (!this.#isBelow(archetype, version, kind)) return;
    this.#archetype = archetype;
    this.#version = version;
    this.#kind = kind;
    this.name = name;
  }

  #isBelow(archetype: Archetype, version: Version, kind: ChannelKind): boolean {
    const byArchetype = archetypes.indexOf(archetype) - archetypes.indexOf(this.#archetype);
    if (byArchetype !== 0) return byArchetype > 0;
    const byVersion = compareVersions(version, this.#version);
    if (byVersion !== 0) return byVersion > 0;
    return kind !== this.#kind && (this.#kind === undefined || kind === this.#preference);
  }
}
