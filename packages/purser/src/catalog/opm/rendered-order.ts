import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { compareBytes } from "@purser/kubernetes/text/documents";
import type { CatalogBlob } from "../model.ts";
import { isBulkProperty, readProperties } from "../properties.ts";
import { goSort } from "../schemas/go-sort.ts";
import { itemsOf, textOf } from "../schemas/go-shape.ts";

/** A bundle's properties as upstream renders them: whole documents come last. */
export function renderedProperties(bundle: JsonObject): readonly JsonObject[] {
  const listed = itemsOf(bundle, "properties").map((item) => (isJsonObject(item) ? item : {}));
  const isBulk = (item: JsonObject): boolean => isBulkProperty(textOf(item, "type"));
  return [...listed.filter((item) => !isBulk(item)), ...listed.filter(isBulk)];
}

/** Related images as upstream renders them: by image, with Go's order of equal ones. */
export function renderedImages<Image extends { readonly image: string }>(images: readonly Image[]): readonly Image[] {
  const sorted = [...images];
  goSort(sorted, (a, b) => compareBytes(a.image, b.image) < 0);
  return sorted;
}

/** For commands that render what they read: they count properties and related images in that order when they refuse one. */
export function asRendered(blob: CatalogBlob): CatalogBlob {
  const { content } = blob;
  if (content.kind !== "bundle") return blob;
  const read = content.propertyProblem === undefined ? {} : readProperties(renderedProperties(blob.json));
  return { ...blob, content: { ...content, ...read, relatedImages: renderedImages(content.relatedImages) } };
}
