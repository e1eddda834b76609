import type { JsonObject } from "@purser/kubernetes/json";
import type { KnownItems } from "@purser/kubernetes/text/documents";
import { propertyShapes } from "../schemas/blob-shapes.ts";
import { fittingProperty } from "../schemas/block-pattern.ts";

/** Longer texts are read: a pattern keeps a place to go back to for every line. */
const longest = 2 ** 20;
/** Of a dash; renderers use none, two or four. */
const widest = 8;
const begin = "- type: ";
const metadata = "olm.csv.metadata";
/** Rules count these properties; nothing else of them matters once they fit. */
const counted: readonly JsonObject[] = [Object.freeze({ type: metadata, value: Object.freeze({}) })];
/** By the column of the dash. */
const patterns = new Map<number, { readonly metadata: RegExp; readonly others: RegExp }>();

/**
 * Properties that certainly fit their types, without those that the rules of a valid catalog compare. They are nearly
 * all of a catalog.
 */
export const knownProperties: KnownItems = (member, text, at, column) => {
  if (member !== "properties" || column > widest || text.length > longest || !text.startsWith(begin, at))
    return undefined;
  let known = patterns.get(column);
  if (known === undefined) {
    const source = (...types: readonly string[]): string =>
      fittingProperty(
        [...propertyShapes].filter(([type]) => types.includes(type)),
        column,
      );
    known = {
      metadata: new RegExp(source(metadata), "y"),
      others: new RegExp(`(?:${source(...uncounted)})+`, "y"),
    };
    patterns.set(column, known);
  }
  const isMetadata = text.startsWith(metadata, at + begin.length);
  const pattern = isMetadata ? known.metadata : known.others;
  pattern.lastIndex = at - column;
  return pattern.test(text) ? { items: isMetadata ? counted : [], end: pattern.lastIndex } : undefined;
};

const compared: readonly string[] = ["olm.package", "olm.bundle.object", metadata];
const uncounted = [...propertyShapes.keys()].filter((type) => !compared.includes(type));
