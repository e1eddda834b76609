import type { Digest } from "@purser/kubernetes/digest";
import { done } from "@purser/kubernetes/result";
import type { ImageAcceptance } from "../catalog/image-acceptance.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import type { Look, SourceReader } from "./source-reader.ts";

/** A catalog that a source gave: its index, and the digest by which statuses name the content. */
export interface FoundCatalog {
  /** Of the image; that of the index for sources without a digest of their own. */
  readonly digest: Digest;
  readonly index: StoredIndex;
  /** Under which the store of images keeps it; absent for content that is no image. */
  readonly image?: Digest;
  /** Absent for content that is no image, and without a signature policy. */
  readonly accepted?: ImageAcceptance;
}

/** The reader of a source without a digest of its own: the index's digest names its content. */
export function namedByIndex(reader: SourceReader<StoredIndex>): SourceReader<FoundCatalog> {
  return {
    async look({ lastGood, ...before }, signal): Promise<Look<FoundCatalog> | undefined> {
      const good = lastGood === undefined ? {} : { lastGood: lastGood.index };
      const look = await reader.look({ ...before, ...good }, signal);
      if (look === undefined) return undefined;
      const { mark, found } = look;
      if (found === undefined) return { mark };
      return { mark, found: found.ok ? done({ digest: found.value.digest, index: found.value }) : found };
    },
    pauseMs: (failures) => reader.pauseMs(failures),
    close: () => reader.close?.(),
  };
}
