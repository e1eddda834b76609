import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { bundleShape, channelShape, deprecationShape, packageShape } from "../schemas/blob-shapes.ts";
import { buildGo, goMembers, goText, goValue, type GoWriter, notNative } from "../schemas/go-encode.ts";
import { itemsOf, struct, text, textOf } from "../schemas/go-shape.ts";
import type { CatalogBlob } from "../model.ts";
import { renderedImages, renderedProperties } from "./rendered-order.ts";
import { csvMetadata, embeddedCsv } from "./csv-metadata.ts";

/** How far `opm render` and `opm migrate` rewrite bundles. */
export const migrationLevels = ["none", "bundle-object-to-csv-metadata", "all"] as const;
export type MigrationLevel = (typeof migrationLevels)[number];

/** Compact JSON of a blob as upstream writes it: typed fields of core blobs, custom blobs with sorted keys. */
export function encodeBlob(blob: CatalogBlob, level: MigrationLevel): Result<string, string> {
  return buildBlob(blob, level, goText);
}

/** As {@link encodeBlob}, a value that V8's encoder writes so; undefined when there is none. */
export function blobValue(blob: CatalogBlob, level: MigrationLevel): Result<JsonValue | undefined, string> {
  try {
    return buildBlob(blob, level, goValue);
  } catch (error) {
    if (error === notNative) return done(undefined);
    throw error;
  }
}

function buildBlob<Out>(blob: CatalogBlob, level: MigrationLevel, writer: GoWriter<Out>): Result<Out, string> {
  switch (blob.content.kind) {
    case "package":
      return done(buildGo(blob.json, packageShape, writer));
    case "channel":
      return done(buildGo(blob.json, channelShape, writer));
    case "deprecations":
      return done(buildGo(blob.json, deprecationShape, writer));
    case "custom":
      return done(writer.raw(blob.json));
    case "bundle":
      return buildBundle(blob.json, level, writer);
  }
}

const bundleHead = struct("declcfg.Bundle", { schema: text, name: text, package: text, image: text }, [
  "schema",
  "image",
]);
const property = bundleShape.kind === "struct" ? bundleShape.fields["properties"] : undefined;
const relatedImages = bundleShape.kind === "struct" ? bundleShape.fields["relatedImages"] : undefined;

/** Bulk properties move to the end, related images are sorted, and old catalogs get their CSV metadata. */
function buildBundle<Out>(json: JsonObject, level: MigrationLevel, writer: GoWriter<Out>): Result<Out, string> {
  const properties = renderedProperties(json).map((item) => ({
    type: textOf(item, "type"),
    out: buildItem(item, property, writer),
  }));
  const migrated = level === "none" ? done(undefined) : migratedMetadata(json, properties);
  if (!migrated.ok) return migrated;
  const kept =
    migrated.value === undefined
      ? properties.map(({ out }) => out)
      : [
          ...properties.filter(({ type }) => type !== "olm.bundle.object").map(({ out }) => out),
          writer.object([
            ["type", writer.raw("olm.csv.metadata")],
            ["value", writer.written(migrated.value)],
          ]),
        ];
  const images = renderedImages(
    itemsOf(json, "relatedImages").map((item) => ({
      image: isJsonObject(item) ? textOf(item, "image") : "",
      out: buildItem(isJsonObject(item) ? item : {}, relatedImages, writer),
    })),
  );
  const members = goMembers(json, bundleHead, writer);
  if (kept.length > 0) members.push(["properties", writer.list(kept)]);
  if (images.length > 0) members.push(["relatedImages", writer.list(images.map(({ out }) => out))]);
  return done(writer.object(members));
}

function buildItem<Out>(item: JsonObject, listShape: typeof property, writer: GoWriter<Out>): Out {
  return listShape?.kind === "list" ? buildGo(item, listShape.item, writer) : writer.object([]);
}

/** Only bundles with an image, an embedded CSV and no metadata yet are migrated. */
function migratedMetadata(
  json: JsonObject,
  properties: readonly { readonly type: string }[],
): Result<string | undefined, string> {
  const wanted = textOf(json, "image") !== "" && properties.some(({ type }) => type === "olm.bundle.object");
  const csv = wanted ? embeddedCsv(json) : undefined;
  if (csv === undefined) return done(undefined);
  const metadata = csvMetadata(csv);
  if (!metadata.ok) return failed(`migrate: ${metadata.problem}`);
  return done(properties.some(({ type }) => type === "olm.csv.metadata") ? undefined : metadata.value);
}
