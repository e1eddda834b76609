import { problemOf, type ReadableCatalog } from "../catalog/content.ts";
import type { CatalogContent } from "./content.ts";

/** What resolution may ask of an answer of the content port. */
export function readableCatalog({ state, index }: CatalogContent): ReadableCatalog {
  if (index !== undefined) return { kind: "present", index };
  return { kind: "unavailable", cause: problemOf(state)?.cause ?? "its content is still being read" };
}
