import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Digest } from "@purser/kubernetes/digest";
import { contentDigest } from "@purser/kubernetes/system/content-digest";
import type { Descriptor } from "../image-source.ts";
import type { LayerEntry } from "./directory-entries.ts";
import { tarOf } from "./tar.ts";

/** Content of an image with its descriptor. */
export interface ImageBlob {
  readonly descriptor: Descriptor;
  readonly bytes: Uint8Array;
}

export interface Layer extends ImageBlob {
  /** Digest of the archive before compression. */
  readonly diffId: Digest;
}

/**
 * A gzip layer of `entries`. Equal entries give equal bytes: Node writes neither a time nor a name into the gzip header, and the
 * level is fixed. The compressed bytes are those of the zlib that Node was built with; `diffId` is the same everywhere. `onProgress` gets the number of bytes read so far. Rejects when a file cannot be read, or changes its size
 * meanwhile, or when the signal aborts.
 */
export async function writeLayer(
  entries: readonly LayerEntry[],
  signal: AbortSignal,
  onProgress: (bytes: number) => void = () => {},
): Promise<Layer> {
  const plain = createHash("sha256");
  const chunks: Uint8Array[] = [];
  let read = 0;
  await pipeline(
    tarOf(entries, signal),
    async function* (source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        plain.update(chunk);
        onProgress((read += chunk.length));
        yield chunk;
      }
    },
    createGzip({ level: 9 }),
    async (source: AsyncIterable<Uint8Array>) => {
      for await (const chunk of source) chunks.push(chunk);
    },
    { signal },
  );
  const bytes = Buffer.concat(chunks);
  // Node sets this byte to the operating system it was built for (RFC 1952, OS); 255 is "unknown".
  bytes[9] = 0xff;
  return {
    descriptor: {
      mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
      digest: contentDigest(bytes),
      size: bytes.length,
    },
    diffId: `sha256:${plain.digest("hex")}`,
    bytes,
  };
}
