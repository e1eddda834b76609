import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { csvShape } from "../schemas/blob-shapes.ts";
import type { CatalogModel, ModelChannel, ModelPackage } from "../catalog-model.ts";
import { headProblem } from "../channel-graph.ts";
import { fieldOf, misfit, textOf } from "../schemas/go-shape.ts";
import type { ChannelEntryContent } from "../model.ts";
import { channelHead } from "../package-record.ts";
import { fatal, type OpmAnswer } from "./answer.ts";
import { embeddedCsv } from "./csv-metadata.ts";
import { inReference, readSource, type RenderSource } from "./read-sources.ts";
import { asRendered } from "./rendered-order.ts";
import { alignColumns } from "./tab-writer.ts";
import { modelOf } from "./validate.ts";

export type Listed = "packages" | "channels" | "bundles";

/** `opm alpha list`: a table of a valid catalog. `packageName` narrows channels and bundles to one package. */
export function opmList(source: RenderSource, listed: Listed, packageName: string | undefined): OpmAnswer {
  const blobs = readSource(source);
  if (!blobs.ok) {
    const isOther = blobs.problem.endsWith(": not allowed");
    return fatal(isOther ? `cannot list non-index ${goQuote(source.reference)}` : inReference(source, blobs.problem));
  }
  const model = modelOf(blobs.value.map(asRendered));
  if (!model.ok) return fatal(model.problem);
  const wanted = packagesOf(model.value, packageName);
  if (wanted === undefined) return fatal(`package ${goQuote(packageName ?? "")} not found`);
  const csvOf = (pack: string, bundle: string): JsonObject | undefined => {
    const blob = blobs.value.find(
      ({ content, packageName: own, name }) => content.kind === "bundle" && own === pack && name === bundle,
    );
    return blob === undefined ? undefined : embeddedCsv(blob.json);
  };
  const rows = {
    packages: () => wanted.map((pack) => packageRow(pack, csvOf)),
    channels: () => wanted.flatMap((pack) => channelsOf(pack).map((channel) => channelRow(pack, channel))),
    bundles: () => wanted.flatMap((pack) => channelsOf(pack).flatMap((channel) => bundleRows(pack, channel))),
  }[listed]();
  const text = [headers[listed], ...rows].map((cells) => `${cells.join("\t")}\n`).join("");
  return { exit: 0, stdout: alignColumns(text), stderr: "" };
}

type Row = readonly string[];

const headers: Readonly<Record<Listed, Row>> = {
  packages: ["NAME", "DISPLAY NAME", "DEFAULT CHANNEL"],
  channels: ["PACKAGE", "CHANNEL", "HEAD"],
  bundles: ["PACKAGE", "CHANNEL", "BUNDLE", "REPLACES", "SKIPS", "SKIP RANGE", "IMAGE"],
};

function packagesOf(model: CatalogModel, name: string | undefined): readonly ModelPackage[] | undefined {
  if (name === undefined) return [...model.packages.values()].sort((a, b) => compareBytes(a.name, b.name));
  const one = model.packages.get(name);
  return one === undefined ? undefined : [one];
}

function channelsOf({ channels }: ModelPackage): readonly ModelChannel[] {
  return [...channels.values()].sort((a, b) => compareBytes(a.name, b.name));
}

/** The display name from the manifest of the default channel's head; empty for catalogs without manifests. */
function packageRow(pack: ModelPackage, csvOf: (pack: string, bundle: string) => JsonObject | undefined): Row {
  const channel = pack.channels.get(pack.defaultChannel);
  const head = channel === undefined ? undefined : channelHead(entriesOf(channel));
  const csv = head === undefined ? undefined : csvOf(pack.name, head);
  const spec = csv === undefined || misfit(csv, csvShape) !== undefined ? undefined : fieldOf(csv, "spec");
  const displayName = isJsonObject(spec) ? textOf(spec, "displayName") : "";
  return [pack.name, displayName, pack.defaultChannel];
}

function channelRow(pack: ModelPackage, channel: ModelChannel): Row {
  const entries = entriesOf(channel);
  const head = channelHead(entries) ?? `ERROR: ${headProblem(entries) ?? "no channel head found in graph"}`;
  return [pack.name, channel.name, head];
}

function bundleRows(pack: ModelPackage, channel: ModelChannel): readonly Row[] {
  return [...channel.entries.values()]
    .sort((a, b) => compareBytes(a.entry.name, b.entry.name))
    .map(({ entry, bundle }) => [
      pack.name,
      channel.name,
      entry.name,
      entry.replaces,
      entry.skips.join(","),
      entry.skipRange,
      bundle?.content.image ?? "",
    ]);
}

function entriesOf(channel: ModelChannel): readonly ChannelEntryContent[] {
  return [...channel.entries.values()].map(({ entry }) => entry);
}
