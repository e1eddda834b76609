import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { failed, type Result } from "@purser/kubernetes/result";
import { buildIndex } from "../../catalog-store/build.ts";
import { indexDirectory } from "../../catalog-store/format.ts";
import type { WrittenIndex } from "../../catalog-store/write-index.ts";

/** Where indexes are built and kept. */
export interface IndexAccess {
  readonly cacheDirectory: string;
  /** Entrance of the index builder when it does not lie beside the catalog store. */
  readonly builder?: string;
  /** Limit of the documents of a catalog. */
  readonly mostBytes?: number;
}

/** Ten times the largest public catalog. */
const defaultMostBytes = 600 * 2 ** 20;

/** Builds the index of a catalog from the text of its documents, which lies in the cache meanwhile. The problem is why there is none. */
export async function indexDocuments(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<string>,
  { cacheDirectory, builder, mostBytes = defaultMostBytes }: IndexAccess,
  signal: AbortSignal,
): Promise<Result<WrittenIndex, string>> {
  const indexes = indexDirectory(cacheDirectory);
  await mkdir(indexes, { recursive: true });
  const file = join(indexes, `reading-${randomUUID()}.jsonl`);
  try {
    await pipeline(Readable.from(bounded(chunks, mostBytes)), createWriteStream(file), { signal });
    const request = { directory: file, form: "unchecked", into: indexes, signal } as const;
    const built = await buildIndex({ ...request, ...(builder === undefined ? {} : { builder }) });
    return built.ok ? built : failed(built.problem[0]?.message ?? "it cannot be read");
  } catch (error) {
    signal.throwIfAborted();
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    await rm(file, { force: true });
  }
}

async function* bounded(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<string>,
  mostBytes: number,
): AsyncGenerator<Uint8Array | string> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
    yield chunk;
  }
}
