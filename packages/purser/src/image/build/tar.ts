import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createTarPacker } from "modern-tar";
import type { LayerEntry } from "./folder-entries.ts";

/**
 * A tar archive of `entries` whose bytes follow from their paths and contents alone: owner 0, times 0, modes 0755 and 0644.
 * The stream fails when a file cannot be read or has another size than its entry, or when the signal aborts.
 */
export function tarOf(entries: readonly LayerEntry[], signal: AbortSignal): Readable {
  const { readable, controller } = createTarPacker();
  const pack = async (): Promise<void> => {
    for (const { path, file } of entries) {
      const body = controller.add({
        name: file === undefined ? `${path}/` : path,
        type: file === undefined ? "directory" : "file",
        size: file?.size ?? 0,
        mode: file === undefined ? 0o755 : 0o644,
        mtime: new Date(0),
        uid: 0,
        gid: 0,
      });
      const writer = body.getWriter();
      if (file !== undefined)
        for await (const chunk of createReadStream(file.source, { signal })) await writer.write(chunk as Uint8Array);
      await writer.close();
    }
    controller.finalize();
  };
  pack().catch((error: unknown) => controller.error(error));
  return Readable.fromWeb(readable as ReadableStream<Uint8Array>, { signal });
}
