import { type CatalogView, type ChannelView, compareBundles, type PackageView, viewOf } from "../catalog-view.ts";
import { withMember } from "@purser/kubernetes/object/patches/json-edit";
import { itemsOf } from "../schemas/go-shape.ts";
import { entryJson } from "../loading/entry-json.ts";
import type { CatalogBlob, ChannelEntryContent } from "../model.ts";
import { formatVersion, type Version } from "@purser/kubernetes/version";
import { lostPaths } from "../diff/lost-paths.ts";
import { listed } from "../lint/finding-words.ts";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { pruneChannel } from "./prune-channel.ts";
import { bestProvider, requirementsOf } from "./requirements.ts";

/** What to keep of one package. */
export interface Keep {
  readonly packageName: string;
  readonly includes: (version: Version) => boolean;
  /** As the user wrote it, for reports: `>=1.2`, or "" for all. */
  readonly range: string;
}

export interface PrunedPackage {
  readonly name: string;
  /** Bundles that stay, in catalog order. */
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
  /** The bundle that requires the package, when the package was not asked for. */
  readonly requiredBy?: string;
  /** What was changed to keep it valid, and removed channels, as sentences. */
  readonly notes: readonly string[];
}

export interface PrunedCatalog {
  readonly blobs: readonly CatalogBlob[];
  readonly packages: readonly PrunedPackage[];
  readonly droppedPackages: readonly string[];
  /** Requirements that nothing in the catalog meets: `foo.v1.0.0 requires package bar >=2`. */
  readonly unmet: readonly string[];
}

/**
 * The part of a valid catalog that holds the wanted versions: with their channels and heads, a default channel, what
 * they require (the highest provider, and its way to the head), and closed gaps in the chains of replacements.
 * A wanted package or version that does not exist is ignored.
 */
export function pruneCatalog(blobs: readonly CatalogBlob[], keeps: readonly Keep[]): PrunedCatalog {
  const view = viewOf(blobs);
  const wanted = wantedBundles(view, keeps);
  const packages: PrunedPackage[] = [];
  const out: CatalogBlob[] = [];
  for (const one of view.packages.values()) {
    const keep = wanted.bundles.get(one.name);
    if (keep === undefined) continue;
    const pruned = prunePackage(one, keep);
    const left = blobs.flatMap((blob) => (blob.packageName === one.name ? (pruned.replace(blob) ?? []) : []));
    const names = [...one.bundles.keys()];
    const requiredBy = wanted.requiredBy.get(one.name);
    packages.push({
      name: one.name,
      kept: names.filter((name) => keep.has(name)),
      dropped: names.filter((name) => !keep.has(name)),
      ...(requiredBy === undefined ? {} : { requiredBy }),
      notes: [...pruned.notes, ...lostNotes(one, viewOf(left).packages.get(one.name))],
    });
    for (const blob of left) out.push(blob);
  }
  // Blobs of no package may be about all of them.
  for (const blob of blobs) if (blob.packageName === "" && blob.content.kind === "custom") out.push(blob);
  return {
    blobs: out,
    packages,
    droppedPackages: [...view.packages.keys()].filter((name) => !wanted.bundles.has(name)).sort(compareBytes),
    unmet: wanted.unmet,
  };
}

/** Versions below and above what was kept, whose users do not come to the head any more. */
function lostNotes(before: PackageView, after: PackageView | undefined): readonly string[] {
  const byChannel = new Map<string, string[]>();
  for (const { channel, entry, minor } of after === undefined ? [] : lostPaths(before, after)) {
    const version = entry.bundle?.version;
    const text = minor === undefined ? (version === undefined ? entry.name : formatVersion(version)) : `${minor}.x`;
    const known = byChannel.get(channel) ?? [];
    if (!known.includes(text)) byChannel.set(channel, [...known, text]);
  }
  return [...byChannel].map(
    ([channel, versions]) => `channel ${channel}: users on ${listed(versions)} no longer reach its head`,
  );
}

interface Wanted {
  readonly bundles: ReadonlyMap<string, ReadonlySet<string>>;
  readonly requiredBy: ReadonlyMap<string, string>;
  readonly unmet: readonly string[];
}

function wantedBundles(view: CatalogView, keeps: readonly Keep[]): Wanted {
  const bundles = new Map<string, Set<string>>();
  const requiredBy = new Map<string, string>();
  const unmet: string[] = [];
  const waiting: { readonly one: PackageView; readonly name: string }[] = [];
  const add = (one: PackageView, name: string): void => {
    const known = bundles.get(one.name) ?? new Set<string>();
    bundles.set(one.name, known);
    if (known.has(name)) return;
    known.add(name);
    waiting.push({ one, name });
  };
  for (const { packageName, includes } of keeps) {
    const one = view.packages.get(packageName);
    for (const { name, version } of one?.bundles.values() ?? [])
      if (one !== undefined && version !== undefined && includes(version)) add(one, name);
  }
  const isKept = (name: string, bundle: string): boolean => bundles.get(name)?.has(bundle) === true;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const bundle = next.one.bundles.get(next.name);
    for (const alternatives of bundle === undefined ? [] : requirementsOf(bundle)) {
      const isMet = [...view.packages.values()].some((one) =>
        [...one.bundles.values()].some(
          (each) => isKept(one.name, each.name) && alternatives.some((way) => way.isMetBy(each)),
        ),
      );
      if (isMet) continue;
      const words = alternatives.map(({ text }) => text).join(" or ");
      const provider = bestProvider(view, alternatives);
      if (provider === undefined) {
        unmet.push(`${next.name} requires ${words}`);
        continue;
      }
      if (!bundles.has(provider.package.name)) requiredBy.set(provider.package.name, `${next.name} requires ${words}`);
      for (const name of wayToHead(provider.package, provider.bundle.name)) add(provider.package, name);
    }
  }
  return { bundles, requiredBy, unmet };
}

/** A bundle and everything above it in its chains of replacements. */
function wayToHead(one: PackageView, bundle: string): readonly string[] {
  const way = new Set([bundle]);
  for (const name of way)
    for (const channel of one.channels)
      for (const entry of channel.entries)
        if (entry.replaces === name && entry.bundle !== undefined) way.add(entry.name);
  return [...way];
}

function prunePackage(one: PackageView, keep: ReadonlySet<string>) {
  const notes: string[] = [];
  const channels = new Map<string, readonly ChannelEntryContent[]>();
  for (const channel of one.channels) {
    const pruned = pruneChannel(channel, keep);
    if (pruned.entries.length === 0) notes.push(`channel ${channel.name} is removed: none of its versions is kept`);
    else {
      channels.set(channel.name, pruned.entries);
      notes.push(...pruned.notes.map((note) => `channel ${channel.name}: ${note}`));
    }
  }
  const left = one.channels.filter(({ name }) => channels.has(name));
  const defaultChannel = channels.has(one.defaultChannel) ? one.defaultChannel : newestChannel(left, keep);
  if (defaultChannel !== one.defaultChannel)
    notes.push(`the default channel is now ${defaultChannel}, because ${one.defaultChannel} is removed`);
  const replace = (blob: CatalogBlob): CatalogBlob | undefined => {
    switch (blob.content.kind) {
      case "package":
        return {
          ...blob,
          json: withMember(blob.json, "defaultChannel", defaultChannel),
          content: { ...blob.content, defaultChannel },
        };
      case "channel": {
        const entries = channels.get(blob.name);
        if (entries === undefined) return undefined;
        return {
          ...blob,
          json: withMember(blob.json, "entries", entries.map(entryJson)),
          content: { kind: "channel", entries },
        };
      }
      case "bundle":
        return keep.has(blob.name) ? blob : undefined;
      case "deprecations":
        return deprecationsLeft(blob, (schema, name) =>
          schema === "olm.bundle" ? keep.has(name) : schema === "olm.channel" ? channels.has(name) : true,
        );
      case "custom":
        return blob;
    }
  };
  return { notes, replace };
}

/** The channel with the highest kept version; of several the first by name. */
function newestChannel(channels: readonly ChannelView[], keep: ReadonlySet<string>): string {
  const best = (channel: ChannelView) =>
    channel.entries
      .flatMap(({ bundle }) => (bundle !== undefined && keep.has(bundle.name) ? [bundle] : []))
      .sort((left, right) => compareBundles(right, left))[0];
  const [first] = [...channels].sort((left, right) => {
    const [a, b] = [best(left), best(right)];
    return (a === undefined || b === undefined ? 0 : compareBundles(b, a)) || compareBytes(left.name, right.name);
  });
  return first?.name ?? "";
}

function deprecationsLeft(
  blob: CatalogBlob,
  isLeft: (schema: string, name: string) => boolean,
): CatalogBlob | undefined {
  if (blob.content.kind !== "deprecations") return blob;
  const left = blob.content.entries.map(({ schema, name }) => isLeft(schema, name));
  const entries = itemsOf(blob.json, "entries").filter((_, index) => left[index] === true);
  if (entries.length === 0) return undefined;
  return {
    ...blob,
    json: withMember(blob.json, "entries", entries),
    content: { kind: "deprecations", entries: blob.content.entries.filter((_, index) => left[index] === true) },
  };
}
