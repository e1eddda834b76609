import { done, failed } from "@purser/kubernetes/result";
import { itemsOf } from "../schemas/go-shape.ts";
import type { CatalogBlob } from "../model.ts";
import { atEntry, readEntries, readEntriesTemplate } from "./read-template.ts";
import type { Expansion, RenderReference, TemplateText } from "./template.ts";

/**
 * Replaces every bundle entry, which holds its image only, by what the image holds; all other blobs stay as they are.
 * The result is not validated.
 */
export function expandBasic(template: TemplateText, render: RenderReference): Expansion {
  const read = readEntriesTemplate(template, "basic", "basic.BasicTemplateData");
  if (!read.ok) return read;
  const entries = readEntries(read.value);
  if (!entries.ok) return entries;
  const kept = entries.value.filter(({ content }) => content.kind !== "bundle");
  const rendered: CatalogBlob[] = [];
  let before = 0;
  for (const [index, entry] of entries.value.entries()) {
    if (entry.content.kind !== "bundle") continue;
    // A reference that stood for several bundles leaves upstream no room for the entries behind it.
    if (!isPlaceholder(entry) || rendered.length > before)
      return failed(atEntry(read.value, index, "refused", "unexpected fields present in basic template bundle"));
    const blobs = render(entry.content.image);
    if (!blobs.ok) return failed(atEntry(read.value, index, "reference", blobs.problem));
    for (const blob of blobs.value) if (blob.content.kind === "bundle") rendered.push(blob);
    before++;
  }
  return done({ blobs: [...kept, ...rendered], rendered: new Set(rendered) });
}

/** A name is allowed and ignored. */
function isPlaceholder({ content, packageName, json }: CatalogBlob): boolean {
  if (content.kind !== "bundle" || content.image === "" || packageName !== "") return false;
  return itemsOf(json, "properties").length === 0 && content.relatedImages.length === 0;
}
