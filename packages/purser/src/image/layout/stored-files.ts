import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** The files of a layout, in a directory or in an archive. Paths are relative, with `/`. */
export interface StoredFiles {
  /** Undefined for what is no regular file. */
  size(path: string): Promise<number | undefined>;
  /** Rejects when the file is not there. */
  stream(path: string): Promise<Readable>;
  close(): Promise<void>;
}

/** The files below a directory. Links are followed: the directory belongs to the user. */
export function filesOfDirectory(directory: string): StoredFiles {
  return {
    async size(path) {
      try {
        const found = await stat(join(directory, path));
        return found.isFile() ? found.size : undefined;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async stream(path) {
      const file = await open(join(directory, path), "r");
      return file.createReadStream();
    },
    async close() {
      // Every file is opened for itself.
    },
  };
}

/** A part of a file as a stream. */
export function partOfFile(path: string, offset: number, size: number): Readable {
  return createReadStream(path, { start: offset, end: offset + size - 1 });
}

/** The whole file; `tooLarge` when it has more than `largest` bytes. */
export async function readStored(
  files: StoredFiles,
  path: string,
  largest: number,
): Promise<Buffer | "missing" | "tooLarge"> {
  const size = await files.size(path);
  if (size === undefined) return "missing";
  if (size > largest) return "tooLarge";
  if (size === 0) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of (await files.stream(path)) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > largest) return "tooLarge";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code));
}
