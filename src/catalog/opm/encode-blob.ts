import { isJsonObject, type JsonObject } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import { compareBytes, doubleJson } from "../../text/documents.ts";
import { bundleShape, channelShape, deprecationShape, packageShape } from "../blob-shapes.ts";
import { encodeGo } from "../go-encode.ts";
import { itemsOf, struct, text, textOf } from "../go-shape.ts";
import { goSort } from "../go-sort.ts";
import type { CatalogBlob } from "../model.ts";
import { isBulkProperty } from "../properties.ts";
import { csvMetadata, embeddedCsv } from "./csv-metadata.ts";

/** How far `opm render` and `opm migrate` rewrite bundles. */
export const migrationLevels = ["none", "bundle-object-to-csv-metadata", "all"] as const;
export type MigrationLevel = (typeof migrationLevels)[number];

/** Compact JSON of a blob as upstream writes it: typed fields of core blobs, custom blobs with sorted keys. */
export function encodeBlob(blob: CatalogBlob, level: MigrationLevel): Result<string, string> {
  switch (blob.content.kind) {
    case "package":
      return done(encodeGo(blob.json, packageShape));
    case "channel":
      return done(encodeGo(blob.json, channelShape));
    case "deprecations":
      return done(encodeGo(blob.json, deprecationShape));
    case "custom":
      return done(doubleJson(blob.json));
    case "bundle":
      return encodeBundle(blob.json, level);
  }
}

const bundleHead = struct("declcfg.Bundle", { schema: text, name: text, package: text, image: text }, [
  "schema",
  "image",
]);
const property = bundleShape.kind === "struct" ? bundleShape.fields["properties"] : undefined;
const relatedImages = bundleShape.kind === "struct" ? bundleShape.fields["relatedImages"] : undefined;

/** Bulk properties move to the end, related images are sorted, and old catalogs get their CSV metadata. */
function encodeBundle(json: JsonObject, level: MigrationLevel): Result<string, string> {
  const listed = itemsOf(json, "properties").map((item) => (isJsonObject(item) ? item : {}));
  const isBulk = (item: JsonObject): boolean => isBulkProperty(textOf(item, "type"));
  const ordered = [...listed.filter((item) => !isBulk(item)), ...listed.filter(isBulk)];
  const properties = ordered.map((item) => ({ type: textOf(item, "type"), json: encodeItem(item, property) }));
  const migrated = level === "none" ? done(undefined) : migratedMetadata(json, properties);
  if (!migrated.ok) return migrated;
  const kept =
    migrated.value === undefined
      ? properties.map((item) => item.json)
      : [
          ...properties.filter((item) => item.type !== "olm.bundle.object").map((item) => item.json),
          `{"type":"olm.csv.metadata","value":${migrated.value}}`,
        ];
  const images = itemsOf(json, "relatedImages").map((item) => ({
    image: isJsonObject(item) ? textOf(item, "image") : "",
    json: encodeItem(isJsonObject(item) ? item : {}, relatedImages),
  }));
  goSort(images, (a, b) => compareBytes(a.image, b.image) < 0);
  const tail = [
    ...(kept.length === 0 ? [] : [`"properties":[${kept.join(",")}]`]),
    ...(images.length === 0 ? [] : [`"relatedImages":[${images.map((item) => item.json).join(",")}]`]),
  ];
  return done(`${encodeGo(json, bundleHead).slice(0, -1)}${tail.map((part) => `,${part}`).join("")}}`);
}

function encodeItem(item: JsonObject, listShape: typeof property): string {
  return listShape?.kind === "list" ? encodeGo(item, listShape.item) : "{}";
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
