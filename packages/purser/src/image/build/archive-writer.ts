import { createWriteStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { compareBytes } from "@purser/kubernetes/text/documents";
import type { LayerEntry } from "./directory-entries.ts";
import { tarOf } from "./tar.ts";

/** Writes the files of a layout at `directory` as a tar archive; the same layout gives the same bytes. */
export async function writeArchive(directory: string, file: string, signal: AbortSignal): Promise<void> {
  const names = await readdir(directory, { recursive: true });
  const entries: LayerEntry[] = [];
  for (const path of names.toSorted(compareBytes)) {
    const source = join(directory, path);
    const known = await stat(source);
    entries.push(known.isDirectory() ? { path } : { path, file: { source, size: known.size } });
  }
  await pipeline(tarOf(entries, signal), createWriteStream(file), { signal });
}
