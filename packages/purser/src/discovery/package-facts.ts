import type { JsonObject } from "@purser/kubernetes/json";
import type { BlobId, CatalogIndex, ChannelSummary, PackageSummary } from "../catalog/catalog-index.ts";
import type { PackageFacts } from "../catalog/package-facts.ts";
import { registryManifests } from "../catalog/registry-bundle.ts";
import { fieldOf, itemsOf, textOf } from "../catalog/schemas/go-shape.ts";
import { type HeadCsv, readHeadCsv } from "../package-manifests/head-csv.ts";

/** Of a long description search reads this many characters: it is a page of Markdown, whose beginning says what it is. */
const descriptionLength = 1000;

/** Reads a blob of the catalog that a summary belongs to. */
export type ReadBlob = (id: BlobId) => JsonObject;

/** Facts of all packages of a catalog, by name: those kept in its index, else read from its blobs. */
export function factsOf(index: CatalogIndex): readonly PackageFacts[] {
  const kept = index.packageFacts?.();
  if (kept !== undefined) return kept;
  return index.packages().flatMap((name) => {
    const summary = index.package(name);
    return summary === undefined ? [] : [packageFacts(summary, (id) => index.blob(id))];
  });
}

/** The default channel; the first by name when the package has no channel of that name, undefined when it has none. */
export function mainChannel({ channels, defaultChannel }: PackageSummary): ChannelSummary | undefined {
  return channels.find(({ name }) => name === defaultChannel) ?? channels[0];
}

/** Facts of one package; reads the blobs of the package and of the head of its default channel. */
export function packageFacts(summary: PackageSummary, blob: ReadBlob): PackageFacts {
  const main = mainChannel(summary);
  const head = headOf(main);
  const csv = head === undefined ? undefined : csvOfBundle(summary, head.blob, blob);
  const { name, description, deprecation } = summary;
  return {
    name,
    displayName: csv === undefined ? "" : textOf(csv.spec, "displayName"),
    provider: csv?.provider.name ?? "",
    keywords: csv === undefined ? [] : textsIn(csv.spec, "keywords"),
    kinds: [...new Set((head?.provides ?? []).map(({ kind }) => kind))],
    capability: csv?.annotations["capabilities"] ?? "",
    description: [csv?.annotations["description"] ?? "", description ?? "", csv === undefined ? "" : longText(csv)]
      .filter((text, at, all) => text !== "" && all.indexOf(text) === at)
      .join("\n"),
    ...(deprecation === undefined ? {} : { deprecation }),
    defaultChannel: main?.name ?? summary.defaultChannel,
    channels: summary.channels.map((channel) => ({
      name: channel.name,
      version: headOf(channel)?.version ?? "",
      ...(channel.deprecation === undefined ? {} : { deprecation: channel.deprecation }),
    })),
  };
}

/** The bundle at the head of a channel; undefined when the channel has no single head. */
export function headOf(channel: ChannelSummary | undefined): ChannelSummary["bundles"][number] | undefined {
  return channel?.bundles.find(({ isChannelHead }) => isChannelHead);
}

/**
 * The ClusterServiceVersion of a bundle, embedded or made from its metadata; undefined when there is none that OLM's
 * package server can read.
 */
function csvOfBundle(summary: PackageSummary, bundle: BlobId, blob: ReadBlob): HeadCsv | undefined {
  return readHeadCsv(csvTextOf(summary, bundle, blob));
}

/** JSON of the ClusterServiceVersion of a bundle; "" when there is none. */
export function csvTextOf({ blobs: [first] }: PackageSummary, bundle: BlobId, blob: ReadBlob): string {
  const pack = first === undefined ? {} : blob(first);
  const isPackage = fieldOf(pack, "schema") === "olm.package";
  return registryManifests(blob(bundle), isPackage ? pack : {}).csvJson;
}

function longText({ spec }: HeadCsv): string {
  return textOf(spec, "description").slice(0, descriptionLength);
}

function textsIn(object: JsonObject, name: string): readonly string[] {
  return itemsOf(object, name).filter((item) => typeof item === "string");
}
