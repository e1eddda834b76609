import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { compareBytes } from "@purser/kubernetes/text/documents";
import type { ApiRef, BlobId, BundleSummary, ChannelSummary, PackageSummary, Property } from "./catalog-index.ts";
import { textOf } from "./schemas/go-shape.ts";
import type { BundleContent, CatalogEntry, ChannelContent, ChannelEntryContent, DeprecationsContent } from "./model.ts";
import type { BundleName, ChannelName, PackageName } from "./names.ts";

/** A package in an index, as plain JSON: each bundle once, channels refer to them by position. */
export interface PackageRecord {
  readonly name: string;
  readonly defaultChannel: string;
  readonly description?: string;
  readonly deprecation?: string;
  readonly bundles: readonly BundleRecord[];
  readonly channels: readonly ChannelRecord[];
  /** Its blobs stand in one row of the canonical order. */
  readonly firstBlob: number;
  readonly blobCount: number;
}

export interface BundleRecord {
  readonly name: string;
  readonly image: string;
  readonly version: string;
  readonly release?: string;
  readonly properties: readonly Property[];
  readonly deprecation?: string;
  readonly blob: number;
}

export interface ChannelRecord {
  readonly name: string;
  readonly head?: string;
  readonly deprecation?: string;
  readonly entries: readonly {
    /** Position in the package's bundles. */
    readonly bundle: number;
    readonly replaces?: string;
    readonly skips?: readonly string[];
    readonly skipRange?: string;
  }[];
}

/** An entry and its position in the canonical order of its catalog. */
interface Numbered {
  readonly entry: CatalogEntry;
  readonly blob: number;
}

const kindOrder = { package: 0, channel: 1, bundle: 2, deprecations: 3, custom: 4 } as const;

/**
 * Positions of `entries` in canonical order: packages by name, in a package the package, channels and bundles by
 * name, deprecations, then custom blobs by schema; blobs of no package last. Equal ones keep their order.
 */
export function canonicalOrder(entries: readonly CatalogEntry[]): readonly number[] {
  const key = ({ packageName, content, name, schema }: CatalogEntry): readonly string[] => {
    const rank = String(kindOrder[content.kind]);
    const named = content.kind === "channel" || content.kind === "bundle";
    return [packageName === "" ? "1" : "0", packageName, rank, named ? name : content.kind === "custom" ? schema : ""];
  };
  const keyed = entries.map((entry, index) => ({ index, key: key(entry) }));
  keyed.sort((a, b) => {
    for (const [part, text] of a.key.entries()) {
      const order = compareBytes(text, b.key[part] ?? "");
      if (order !== 0) return order;
    }
    return a.index - b.index;
  });
  return keyed.map(({ index }) => index);
}

/** Records of all packages that have a package, channel or bundle blob; `ordered` in canonical order. */
export function* packageRecords(ordered: readonly CatalogEntry[]): Generator<PackageRecord> {
  for (let first = 0; first < ordered.length;) {
    const packageName = ordered[first]?.packageName;
    let end = first;
    while (end < ordered.length && ordered[end]?.packageName === packageName) end++;
    const members = ordered.slice(first, end).map((entry, index): Numbered => ({ entry, blob: first + index }));
    const isCore = members.some(
      ({ entry: { content } }) => content.kind !== "custom" && content.kind !== "deprecations",
    );
    if (packageName !== undefined && packageName !== "" && isCore) yield recordOf(packageName, members, first);
    first = end;
  }
}

function recordOf(name: string, members: readonly Numbered[], firstBlob: number): PackageRecord {
  const deprecations = new Map<string, string>();
  const channels: { readonly name: string; readonly content: ChannelContent }[] = [];
  const bundles = new Map<string, BundleRecord>();
  let defaultChannel = "";
  let description = "";
  for (const { entry } of members) if (entry.content.kind === "deprecations") learn(deprecations, entry.content);
  for (const { entry, blob } of members) {
    const { content } = entry;
    switch (content.kind) {
      case "package":
        ({ defaultChannel, description } = content);
        break;
      case "channel":
        channels.push({ name: entry.name, content });
        break;
      case "bundle":
        bundles.set(entry.name, bundleRecord(entry.name, content, blob, deprecations));
        break;
      case "deprecations":
      case "custom":
        break;
    }
  }
  const positions = new Map([...bundles.keys()].map((bundle, index) => [bundle, index]));
  return {
    name,
    defaultChannel,
    ...optional("description", description),
    ...deprecated(deprecations.get("olm.package ")),
    bundles: [...bundles.values()],
    channels: channels.map((channel) => channelRecord(channel, positions, deprecations)),
    firstBlob,
    blobCount: members.length,
  };
}

function learn(deprecations: Map<string, string>, content: DeprecationsContent): void {
  for (const { schema, name, message } of content.entries) deprecations.set(`${schema} ${name}`, message);
}

function deprecated(message: string | undefined): { readonly deprecation?: string } {
  return message === undefined ? {} : { deprecation: message };
}

function optional<Name extends string>(name: Name, value: string): { readonly [Key in Name]?: string } {
  return value === "" ? {} : ({ [name]: value } as { readonly [Key in Name]?: string });
}

function bundleRecord(
  name: string,
  content: BundleContent,
  blob: number,
  deprecations: ReadonlyMap<string, string>,
): BundleRecord {
  const [version] = content.versions;
  return {
    name,
    image: content.image,
    version: version?.version ?? "",
    ...(version?.release === undefined ? {} : { release: version.release }),
    properties: content.properties,
    ...deprecated(deprecations.get(`olm.bundle ${name}`)),
    blob,
  };
}

function channelRecord(
  { name, content }: { readonly name: string; readonly content: ChannelContent },
  positions: ReadonlyMap<string, number>,
  deprecations: ReadonlyMap<string, string>,
): ChannelRecord {
  const entries = content.entries.flatMap((entry) => {
    const bundle = positions.get(entry.name);
    if (bundle === undefined) return [];
    const { replaces, skips, skipRange } = entry;
    return [
      {
        bundle,
        ...optional("replaces", replaces),
        ...(skips.length === 0 ? {} : { skips }),
        ...optional("skipRange", skipRange),
      },
    ];
  });
  const head = channelHead(content.entries);
  return {
    name,
    ...(head === undefined ? {} : { head }),
    ...deprecated(deprecations.get(`olm.channel ${name}`)),
    entries,
  };
}

/** The one entry that nothing replaces or skips; undefined when there are none or several. */
export function channelHead(entries: readonly ChannelEntryContent[]): string | undefined {
  const incoming = new Set(
    entries.flatMap(({ replaces, skips }) => [replaces, ...skips]).filter((name) => name !== ""),
  );
  const heads = entries.filter(({ name }) => !incoming.has(name));
  return heads.length === 1 ? heads[0]?.name : undefined;
}

/** The summary that a {@link PackageRecord} stands for; arrays of properties are shared between channels. */
export function summaryOf(record: PackageRecord): PackageSummary {
  const packageName = record.name as PackageName;
  const channels = record.channels.map((channel): ChannelSummary => {
    const bundles: BundleSummary[] = [];
    for (const entry of channel.entries) {
      const bundle = record.bundles[entry.bundle];
      if (bundle !== undefined) bundles.push(new RecordedBundle(packageName, channel, bundle, entry));
    }
    return {
      name: channel.name as ChannelName,
      ...(channel.head === undefined ? {} : { head: channel.head as BundleName }),
      ...deprecated(channel.deprecation),
      bundles,
    };
  });
  return {
    name: packageName,
    defaultChannel: record.defaultChannel as ChannelName,
    ...(record.description === undefined ? {} : { description: record.description }),
    ...deprecated(record.deprecation),
    channels,
    blobs: Array.from({ length: record.blobCount }, (_, index) => (record.firstBlob + index) as BlobId),
  };
}

/** A bundle in a channel. APIs are found when asked for: resolution reads many bundles and asks for the APIs of none. */
class RecordedBundle implements BundleSummary {
  readonly package: PackageName;
  readonly channel: ChannelName;
  readonly name: BundleName;
  readonly image: string;
  readonly version: string;
  declare readonly release?: string;
  declare readonly replaces?: BundleName;
  readonly skips: readonly BundleName[];
  declare readonly skipRange?: string;
  readonly properties: readonly Property[];
  readonly isChannelHead: boolean;
  declare readonly deprecation?: string;
  readonly blob: BlobId;

  constructor(
    packageName: PackageName,
    channel: ChannelRecord,
    bundle: BundleRecord,
    entry: ChannelRecord["entries"][number],
  ) {
    this.package = packageName;
    this.channel = channel.name as ChannelName;
    this.name = bundle.name as BundleName;
    this.image = bundle.image;
    this.version = bundle.version;
    if (bundle.release !== undefined) this.release = bundle.release;
    if (entry.replaces !== undefined) this.replaces = entry.replaces as BundleName;
    this.skips = (entry.skips ?? noSkips) as readonly BundleName[];
    if (entry.skipRange !== undefined) this.skipRange = entry.skipRange;
    this.properties = bundle.properties;
    this.isChannelHead = bundle.name === channel.head;
    if (bundle.deprecation !== undefined) this.deprecation = bundle.deprecation;
    this.blob = bundle.blob as BlobId;
  }

  get provides(): readonly ApiRef[] {
    return apisOf(this.properties, "olm.gvk");
  }

  get requires(): readonly ApiRef[] {
    return apisOf(this.properties, "olm.gvk.required");
  }
}

const noSkips: readonly string[] = [];

const noApis: readonly ApiRef[] = [];

/** APIs named by properties of a type, in order. */
export function apisOf(properties: readonly Property[], type: string): readonly ApiRef[] {
  let found: ApiRef[] | undefined;
  for (const property of properties)
    if (property.type === type && isJsonObject(property.value)) (found ??= []).push(apiOf(property.value));
  return found ?? noApis;
}

function apiOf(value: JsonObject): ApiRef {
  const { group, version, kind } = value;
  // The usual form is read directly; any other by Go's rules for names of members.
  const isUsual = typeof group === "string" && typeof version === "string" && typeof kind === "string";
  if (isUsual && Object.keys(value).length === 3) return { group, version, kind };
  return { group: textOf(value, "group"), version: textOf(value, "version"), kind: textOf(value, "kind") };
}

/** One text for an API; group, version and kind hold no blanks in any valid catalog. */
export function apiKey({ group, version, kind }: ApiRef): string {
  return `${group} ${version} ${kind}`;
}

/** Keys of all APIs that bundles of the package provide in some channel. */
export function providedApis(record: PackageRecord): ReadonlySet<string> {
  const entered = new Set(record.channels.flatMap((channel) => channel.entries.map((entry) => entry.bundle)));
  return new Set(
    record.bundles.flatMap((bundle, index) =>
      entered.has(index) ? apisOf(bundle.properties, "olm.gvk").map(apiKey) : [],
    ),
  );
}

/** The (bundle, channel) pairs of a package that provide the API. */
export function providersIn(summary: PackageSummary, key: string): readonly BundleSummary[] {
  return summary.channels.flatMap((channel) =>
    channel.bundles.filter((bundle) => bundle.provides.some((api) => apiKey(api) === key)),
  );
}
