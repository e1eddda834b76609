import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatVersion, indexFileName } from "../catalog-store/format.ts";
import { openIndex, type StoredIndex } from "../catalog-store/open.ts";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { isJsonObject } from "@purser/kubernetes/json";

/** The key under which the index of a catalog on disk is remembered; the path must be absolute for several processes to meet. */
export const directoryKey = (path: string, form: "catalog" | "lenient" = "catalog"): string =>
  form === "catalog" ? path : `${form} ${path}`;

/** The key under which the index of a catalog image is remembered that breaks no rule. */
export const imageKey = (digest: Digest): string => `image ${digest}`;

/** The key under which the index of a catalog image is remembered that breaks rules. */
const uncheckedImageKey = (digest: Digest): string => `unchecked image ${digest}`;

/**
 * Opens what is kept for the digest of a status: that of an index, or of a catalog image.
 * @param isUnchecked an image that breaks rules will do
 */
export function openKeptIndex(indexes: string, digest: Digest, isUnchecked: boolean): StoredIndex | undefined {
  const named = openIndex(join(indexes, indexFileName(digest)));
  return named.ok ? named.value : openIndexOfImage(indexes, digest, isUnchecked);
}

/** Opens the index of a catalog image, if one is kept; of one that breaks rules only where that will do. */
export function openIndexOfImage(indexes: string, digest: Digest, isUnchecked: boolean): StoredIndex | undefined {
  const keys = [imageKey(digest), ...(isUnchecked ? [uncheckedImageKey(digest)] : [])];
  for (const key of keys) {
    const index = new KeptIndex(indexes, key).recall(digest);
    if (index !== undefined) return index;
  }
  return undefined;
}

/** Remembers the index of a catalog image for {@link openIndexOfImage}. */
export function rememberIndexOfImage(indexes: string, image: Digest, index: Digest, breaksRules: boolean): void {
  const key = breaksRules ? uncheckedImageKey(image) : imageKey(image);
  new KeptIndex(indexes, key).remember(image, index);
}

/** Remembers which index belongs to a catalog on disk, so that an unchanged catalog is never read twice. */
export class KeptIndex {
  readonly #indexes: string;
  readonly #file: string;

  /** @param key `directoryKey` or `imageKey` */
  constructor(indexes: string, key: string) {
    this.#indexes = indexes;
    this.#file = join(indexes, `catalog-${hashOf(key).slice(0, 16)}.json`);
  }

  /** The opened index of the catalog as its fingerprint shows it, if it is kept. */
  recall(print: string): StoredIndex | undefined {
    try {
      const memory: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
      if (!isJsonObject(memory) || memory["print"] !== hashOf(print) || memory["version"] !== formatVersion)
        return undefined;
      const digest = memory["digest"];
      if (typeof digest !== "string" || !isDigest(digest)) return undefined;
      const opened = openIndex(join(this.#indexes, indexFileName(digest)));
      return opened.ok ? opened.value : undefined;
    } catch {
      return undefined;
    }
  }

  remember(print: string, digest: Digest): void {
    const scratch = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(scratch, JSON.stringify({ version: formatVersion, print: hashOf(print), digest }));
      renameSync(scratch, this.#file);
    } catch {
      // Only a shortcut for the next time.
    }
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
