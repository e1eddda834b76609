import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatVersion, indexFileName } from "../catalog-store/format.ts";
import { openIndex, type StoredIndex } from "../catalog-store/open.ts";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { isJsonObject } from "@purser/kubernetes/json";

/** Remembers which index belongs to a catalog on disk, so that an unchanged catalog is never read twice. */
export class KeptIndex {
  readonly #indexes: string;
  readonly #file: string;

  /** @param path of the catalog; absolute, for several processes to meet */
  constructor(indexes: string, path: string) {
    this.#indexes = indexes;
    this.#file = join(indexes, `catalog-${hashOf(path).slice(0, 16)}.json`);
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
