import { createZstdDecompress } from "node:zlib";

/**
 * Decompresses all frames of zstd, one after the other. Node's own stream ends silently behind the first frame that ends
 * within a chunk; images whose layers can be read in part (`zstd:chunked`) have a frame for each file and frames without
 * content. Rejects with zlib's error for broken or cut bytes.
 */
export async function* zstdFrames(input: AsyncIterable<Buffer>, chunkSize: number): AsyncGenerator<Buffer> {
  const chunks = input[Symbol.asyncIterator]();
  const next = async (): Promise<Buffer | undefined> => {
    const { value, done } = await chunks.next();
    return done === true ? undefined : value;
  };
  let rest = await next();
  try {
    while (rest !== undefined) {
      const frames = createZstdDecompress({ chunkSize });
      const ended = new Promise<"ended">((resolve) => {
        const end = (): void => resolve("ended");
        frames.once("end", end).once("close", end);
      });
      const feed = async (first: Buffer): Promise<Buffer | undefined> => {
        let chunk: Buffer | undefined = first;
        let before = 0;
        while (chunk !== undefined) {
          const given: Buffer = chunk;
          const consumed = new Promise<"consumed">((resolve) => frames.write(given, () => resolve("consumed")));
          const outcome = await Promise.race([consumed, ended]);
          const taken = frames.bytesWritten - before;
          if (outcome === "ended" || taken < given.length) return given.subarray(taken);
          before += given.length;
          chunk = await next();
        }
        frames.end();
        return undefined;
      };
      const fed = feed(rest).catch((error: unknown) => {
        frames.destroy(error instanceof Error ? error : new Error(String(error)));
        return undefined;
      });
      try {
        yield* frames as AsyncIterable<Buffer>;
      } finally {
        frames.destroy();
      }
      rest = await fed;
      if (rest?.length === 0) rest = await next();
    }
  } finally {
    await chunks.return?.();
  }
}
