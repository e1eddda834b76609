import type { StoredIndex } from "../catalog-store/open.ts";
import { problemOf } from "../catalog/content.ts";
import type { CatalogContent } from "./content.ts";

/** A catalog as resolution asks it: its content, the last good one included, or why there is none. */
export function readableIndex({
  state,
  index,
}: CatalogContent):
  | { readonly kind: "present"; readonly index: StoredIndex }
  | { readonly kind: "unavailable"; readonly cause: string } {
  if (index !== undefined) return { kind: "present", index };
  return { kind: "unavailable", cause: problemOf(state)?.cause ?? "its content is still being read" };
}
