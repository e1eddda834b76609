import type { Place } from "@purser/kubernetes/place";
import { compareNewestFirst, precedenceOfVersion } from "../upgrade-graph/bundle-order.ts";
import { parseVersion, type Version } from "@purser/kubernetes/version";
import type { BundleContent, CatalogBlob, ChannelEntryContent } from "./model.ts";

/** A catalog joined as far as its names allow; objects with other problems are included. */
export interface CatalogView {
  /** In the order in which they are first mentioned. */
  readonly packages: ReadonlyMap<string, PackageView>;
  readonly custom: readonly CatalogBlob[];
}

export interface PackageView {
  readonly name: string;
  /** First of its `olm.package` blobs. */
  readonly blob?: CatalogBlob;
  readonly defaultChannel: string;
  /** Channel blobs in file order, repeated ones too. */
  readonly channels: readonly ChannelView[];
  /** First bundle of each name. */
  readonly bundles: ReadonlyMap<string, BundleView>;
  readonly deprecations: Deprecations;
}

export interface ChannelView {
  readonly name: string;
  readonly blob: CatalogBlob;
  readonly entries: readonly EntryView[];
}

export interface EntryView extends ChannelEntryContent {
  /** Where it stands in the channel's document: `/entries/0`. */
  readonly pointer: string;
  readonly bundle?: BundleView;
}

export interface BundleView {
  readonly name: string;
  readonly blob: CatalogBlob;
  readonly content: BundleContent;
  /** Undefined when it has none that can be read. */
  readonly version?: Version;
  readonly release?: string;
}

/** Messages by what they deprecate. */
export interface Deprecations {
  readonly package?: string;
  readonly channels: ReadonlyMap<string, string>;
  readonly bundles: ReadonlyMap<string, string>;
}

export function viewOf(blobs: readonly CatalogBlob[]): CatalogView {
  const names = new Set(blobs.flatMap(({ content, packageName }) => (content.kind === "custom" ? [] : [packageName])));
  const byPackage = new Map<string, CatalogBlob[]>([...names].map((name) => [name, []]));
  for (const blob of blobs) byPackage.get(blob.packageName)?.push(blob);
  return {
    packages: new Map([...byPackage].map(([name, members]) => [name, packageView(name, members)])),
    custom: blobs.filter(({ content }) => content.kind === "custom"),
  };
}

function packageView(name: string, members: readonly CatalogBlob[]): PackageView {
  const bundles = new Map<string, BundleView>();
  for (const blob of members)
    if (blob.content.kind === "bundle" && !bundles.has(blob.name))
      bundles.set(blob.name, bundleView(blob, blob.content));
  const blob = members.find(({ content }) => content.kind === "package");
  const channels = members.flatMap((member): ChannelView[] => {
    if (member.content.kind !== "channel") return [];
    const entries = member.content.entries.map((entry, index): EntryView => {
      const bundle = bundles.get(entry.name);
      return { ...entry, pointer: `/entries/${index}`, ...(bundle === undefined ? {} : { bundle }) };
    });
    return [{ name: member.name, blob: member, entries }];
  });
  return {
    name,
    ...(blob === undefined ? {} : { blob }),
    defaultChannel: blob?.content.kind === "package" ? blob.content.defaultChannel : "",
    channels,
    bundles,
    deprecations: deprecationsOf(members),
  };
}

function bundleView(blob: CatalogBlob, content: BundleContent): BundleView {
  const [own] = content.versions;
  const version = own === undefined ? undefined : parseVersion(own.version);
  return {
    name: blob.name,
    blob,
    content,
    ...(version?.ok === true ? { version: version.value } : {}),
    ...(own?.release === undefined ? {} : { release: own.release }),
  };
}

function deprecationsOf(members: readonly CatalogBlob[]): Deprecations {
  const channels = new Map<string, string>();
  const bundles = new Map<string, string>();
  let own: string | undefined;
  for (const { content } of members) {
    if (content.kind !== "deprecations") continue;
    for (const { schema, name, message } of content.entries) {
      if (schema === "olm.package") own = message;
      if (schema === "olm.channel") channels.set(name, message);
      if (schema === "olm.bundle") bundles.set(name, message);
    }
  }
  return { ...(own === undefined ? {} : { package: own }), channels, bundles };
}

/** By version, then by release, older first; build metadata counts as the release where there is none. */
export function compareBundles(left: BundleView, right: BundleView): number {
  if (left.version === undefined || right.version === undefined) return 0;
  return compareNewestFirst(
    precedenceOfVersion(right.version, right.release),
    precedenceOfVersion(left.version, left.release),
  );
}

/** The place of a value of a blob's document; its line is only computed when needed. */
export function placeIn(blob: CatalogBlob, pointer = ""): Place {
  return pointer === "" ? blob.place : { ...blob.place, pointer };
}

/** File and document of a blob, for an edit. */
export function documentOf({ place }: CatalogBlob): { readonly file: string; readonly document: number } {
  return { file: place.file ?? "", document: place.document ?? 0 };
}
