import type { BundleSummary, CatalogIndex, PackageSummary, Property } from "../../catalog/catalog-index.ts";
import type { BundleName, ChannelName } from "../../catalog/names.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { Pace } from "../pace.ts";
import type { VersionRelease } from "./bundle-version.ts";
import { bundleVersion } from "./bundle-version.ts";

/** A bundle of a package with the channel entries that speak of it. */
export interface Candidate {
  readonly name: string;
  /** One per channel; a bundle in no channel has one with channel "". */
  readonly entries: readonly BundleSummary[];
  readonly properties: readonly Property[];
  readonly version: Result<VersionRelease, string>;
  /** Named by the package's first deprecation blob. */
  readonly deprecated: boolean;
}

/** All that v1 resolution reads of one package in one catalog. */
export interface PackageContent {
  readonly summary: PackageSummary;
  /** By name. */
  readonly candidates: readonly Candidate[];
  readonly channels: readonly string[];
  readonly deprecation: JsonObject | undefined;
}

const schemaOf = (blob: JsonObject): JsonValue | undefined => member(blob, "schema");

const noChannel = "" as ChannelName;

const schemas: readonly unknown[] = ["olm.package", "olm.channel", "olm.bundle", "olm.deprecations"];
const lastRank = schemas.length;

/** Blobs of a package lie by schema: package, channels, bundles, deprecations, others. */
function rank(blob: JsonObject): number {
  const found = schemas.indexOf(schemaOf(blob));
  return found < 0 ? lastRank : found;
}

const bundleRank = 2;

/** Position of the first blob that comes after those of `wanted`, found without reading all of them. */
function endOf(wanted: number, count: number, rankAt: (position: number) => number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rankAt(middle) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function propertiesOf(blob: JsonObject): readonly Property[] {
  const list = member(blob, "properties");
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).flatMap((property) => {
    const type = isJsonObject(property) ? member(property, "type") : undefined;
    return isJsonObject(property) && typeof type === "string"
      ? [{ type, value: member(property, "value") ?? null }]
      : [];
  });
}

function deprecatedBundles(blob: JsonObject | undefined): ReadonlySet<string> {
  const entries = blob === undefined ? undefined : member(blob, "entries");
  if (!Array.isArray(entries)) return new Set();
  return new Set(
    (entries as readonly JsonValue[]).flatMap((entry) => {
      const reference = isJsonObject(entry) ? member(entry, "reference") : undefined;
      if (!isJsonObject(reference) || member(reference, "schema") !== "olm.bundle") return [];
      const name = member(reference, "name");
      return typeof name === "string" ? [name] : [];
    }),
  );
}

/** A bundle that no channel lists: it can be installed afresh when no channel is asked for. */
function unlisted(summary: PackageSummary, blob: JsonObject, id: PackageSummary["blobs"][number]): BundleSummary {
  const text = (name: string): string => {
    const value = member(blob, name);
    return typeof value === "string" ? value : "";
  };
  return {
    package: summary.name,
    channel: noChannel,
    name: text("name") as BundleName,
    image: text("image"),
    version: "",
    skips: [],
    properties: propertiesOf(blob),
    provides: [],
    requires: [],
    isChannelHead: false,
    blob: id,
  };
}

/** Reads one package of a catalog; undefined when the catalog does not have it. */
export function* packageContent(
  index: CatalogIndex,
  name: string,
  releaseSupport: boolean,
): Generator<undefined, PackageContent | undefined> {
  const pace = new Pace();
  const summary = index.package(name);
  if (summary === undefined) return undefined;
  const { blobs, channels } = summary;
  const listed = new Map<string, BundleSummary[]>();
  const listedBlobs = new Set<number>();
  for (const { bundles } of channels)
    for (const bundle of bundles) {
      if (pace.spend(0.25)) yield;
      listedBlobs.add(bundle.blob);
      const known = listed.get(bundle.name);
      if (known === undefined) listed.set(bundle.name, [bundle]);
      else known.push(bundle);
    }
  // Bundles can be megabytes of embedded manifests, so those that a channel lists are not read for their schema.
  const rankAt = (position: number): number => {
    const id = blobs[position];
    if (id === undefined) return lastRank;
    return listedBlobs.has(id) ? bundleRank : rank(index.blob(id));
  };
  const start = endOf(bundleRank - 1, blobs.length, rankAt);
  const end = endOf(bundleRank, blobs.length, rankAt);
  if (end - start > listed.size)
    for (const id of blobs.slice(start, end)) {
      if (pace.spend(1)) yield;
      const bundle = unlisted(summary, index.blob(id), id);
      if (!listed.has(bundle.name)) listed.set(bundle.name, [bundle]);
    }
  const first = blobs[end];
  const after = first === undefined ? undefined : index.blob(first);
  const deprecation = after !== undefined && schemaOf(after) === "olm.deprecations" ? after : undefined;
  const deprecated = deprecatedBundles(deprecation);
  const candidates: Candidate[] = [];
  for (const [bundleName, entries] of [...listed].sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (pace.spend(1)) yield;
    const properties = entries[0]?.properties ?? [];
    candidates.push({
      name: bundleName,
      entries,
      properties,
      version: bundleVersion(bundleName, properties, releaseSupport),
      deprecated: deprecated.has(bundleName),
    });
  }
  return { summary, candidates, channels: channels.map((channel): string => channel.name), deprecation };
}
