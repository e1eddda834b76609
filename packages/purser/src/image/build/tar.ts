import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createTarPacker } from "modern-tar";
import type { LayerEntry } from "./directory-entries.ts";

/**
 * A tar archive of `entries` whose bytes follow from the entries and the contents of their files alone: owner 0, times 0.
 * The stream fails when a file cannot be read or has another size than its entry, or when the signal aborts.
 */
export function tarOf(entries: readonly LayerEntry[], signal: AbortSignal): Readable {
  const { readable, controller } = createTarPacker();
  const pack = async (): Promise<void> => {
    for (const { path, file, link, mode } of entries) {
      const type = link !== undefined ? "symlink" : file !== undefined ? "file" : "directory";
      const body = controller.add({
        name: type === "directory" ? `${path}/` : path,
        type,
        size: file?.size ?? 0,
        mode: mode ?? usualModes[type],
        mtime: new Date(0),
        uid: 0,
        gid: 0,
        ...(link !== undefined && { linkname: link }),
      });
      const writer = body.getWriter();
      if (file !== undefined) for await (const chunk of piecesOf(file.source, signal)) await writer.write(chunk);
      await writer.close();
    }
    controller.finalize();
  };
  pack().catch((error: unknown) => controller.error(error));
  return Readable.fromWeb(readable as ReadableStream<Uint8Array>, { signal });
}

const usualModes = { directory: 0o755, file: 0o644, symlink: 0o777 } as const;

const piecesOf = (source: string | Uint8Array, signal: AbortSignal): Iterable<Uint8Array> | AsyncIterable<Uint8Array> =>
  typeof source === "string" ? (createReadStream(source, { signal }) as AsyncIterable<Uint8Array>) : [source];
