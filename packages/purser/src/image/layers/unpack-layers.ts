import { createHash } from "node:crypto";
import { chmodSync, closeSync, fsync, mkdirSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { recordName, writeRecord } from "../store/image-record.ts";
import { InflatedContent } from "./byte-reader.ts";
import { compressionOf } from "./compression.ts";
import { HeldContents } from "./held-contents.ts";
import { decideEntry } from "./layer-entry.ts";
import { LayeredTree, type TreeEntry } from "./layered-tree.ts";
import { tarEntries } from "./tar-entries.ts";
import { sizeText, UnpackError, type UnpackLimits } from "./unpack-limits.ts";
import type { ImagePath, WantedDirectories } from "./wanted-directories.ts";

/** A layer in a file, or its bytes in base64, as they pass between processes. */
type StoredLayer = { readonly file: string } | { readonly base64: string };

export type FetchedLayer = StoredLayer & {
  readonly mediaType: string;
  /** Digest of what the layer holds after decompression, by the configuration of the image; is checked. */
  readonly diffId?: string | undefined;
};

export interface UnpackTask {
  /** The lowest first; the digests of their bytes are checked. */
  readonly layers: readonly FetchedLayer[];
  readonly directories: WantedDirectories;
  /** Of the image, for its record. */
  readonly labels: Readonly<Record<string, string>>;
  /** An existing empty directory on the file system of the store. */
  readonly into: string;
  readonly limits: UnpackLimits;
}

export interface Unpacked {
  /** Of the files written. */
  readonly bytes: number;
}

/** Synced at the same time: a file system commits together what waits for it. */
const mostSyncs = 16;

/**
 * Writes the wanted directories of an image to `into/root` and its record beside them: files 0400, directories 0500, `into`
 * among them, all on disk when it resolves. Rejects with an `UnpackError` for what the archives hold and with the
 * system's error for what the disk refuses; `into` then holds leftovers.
 */
export async function unpackLayers({ layers, directories, labels, into, limits }: UnpackTask): Promise<Unpacked> {
  if (layers.length > limits.layers) throw new UnpackError("limit", `the image has more than ${limits.layers} layers`);
  const contents = new HeldContents(join(into, "contents"));
  const tree = new LayeredTree(limits.writtenEntries);
  const rules = { ...limits, directories: [...directories.required, ...directories.optional] };
  const budget = { bytes: limits.inflatedBytes };
  let entries = 0;
  let bytes = 0;
  const countHeader = (): void => {
    if (++entries > limits.entries) throw new UnpackError("limit", `the image has more than ${limits.entries} entries`);
  };
  for (const [index, layer] of layers.entries()) {
    const { mediaType, diffId } = layer;
    tree.startLayer();
    const decide = (start: Uint8Array) => {
      const compression = compressionOf(mediaType, start);
      if (!compression.ok) throw new UnpackError("invalid", compression.problem);
      return compression.value;
    };
    const [algorithm = ""] = diffId?.split(":") ?? [];
    const hash = diffId === undefined ? undefined : createHash(algorithm);
    const archive = InflatedContent.open(storedIn(layer), decide, limits, budget, hash);
    try {
      for await (const entry of tarEntries(archive, countHeader)) {
        const decision = decideEntry(entry, rules);
        let number = -1;
        if (decision.kind === "file") {
          bytes += entry.size;
          if (bytes > limits.writtenBytes)
            throw new UnpackError(
              "limit",
              `the directories of the image have more than ${sizeText(limits.writtenBytes)}`,
            );
          number = await contents.add(entry);
        }
        const put = tree.put(decision, number);
        if (!put.ok) throw new UnpackError("limit", put.problem);
      }
      if (hash !== undefined) {
        await archive.skipRest();
        const found = `${algorithm}:${hash.digest("hex")}`;
        if (found !== diffId)
          throw new UnpackError(
            "invalid",
            `layer ${index + 1} of ${layers.length} has the digest ${found} after decompression, but rootfs.diff_ids of the image configuration names ${diffId}`,
          );
      }
    } finally {
      archive.close();
    }
  }
  requireDirectories(tree, directories.required);
  const written = writeTree(tree, contents, join(into, "root"));
  contents.close();
  writeRecord(into, { labels, directory: directories.directory, bytes });
  await syncAll([...written.files, join(into, recordName), ...written.directories, into]);
  for (const directory of [...written.directories, into]) chmodSync(directory, 0o500);
  return { bytes };
}

const storedIn = (layer: StoredLayer): string | Buffer =>
  "file" in layer ? layer.file : Buffer.from(layer.base64, "base64");

function requireDirectories(tree: LayeredTree, required: readonly ImagePath[]): void {
  const missing = required.find((path) => !tree.hasDirectory(path));
  if (missing !== undefined)
    throw new UnpackError("content", `the image has no directory ${JSON.stringify(`/${missing.join("/")}`)}`);
}

interface WrittenTree {
  readonly files: readonly string[];
  /** What is in a directory precedes it. */
  readonly directories: readonly string[];
}

/** Every path is made new, so nothing can lie in the way; on a disk that ignores case, names that become the same are refused. */
function writeTree(tree: LayeredTree, contents: HeldContents, root: string): WrittenTree {
  const entries = tree.entries();
  if (!entries.ok) throw new UnpackError("limit", entries.problem);
  const files: string[] = [];
  const directories: string[] = [root];
  mkdirSync(root, { mode: 0o700 });
  for (const entry of entries.value) {
    const path = join(root, ...entry.path);
    try {
      writeEntry(entry, path, contents);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST")
        throw new UnpackError(
          "limit",
          `two names of the image are one on this disk: ${JSON.stringify(entry.path.join("/"))}`,
        );
      throw error;
    }
    if (entry.kind === "file") files.push(path);
    if (entry.kind === "directory") directories.push(path);
  }
  return { files, directories: directories.reverse() };
}

function writeEntry(entry: TreeEntry, path: string, contents: HeldContents): void {
  switch (entry.kind) {
    case "directory":
      return mkdirSync(path, { mode: 0o700 });
    case "file":
      return contents.place(entry.content, path);
    case "symlink":
      return symlinkSync(entry.target, path);
  }
}

const sync = (file: number): Promise<void> =>
  new Promise((resolve, reject) => fsync(file, (error) => (error === null ? resolve() : reject(error))));

async function syncAll(paths: readonly string[]): Promise<void> {
  const waiting = [...paths];
  const worker = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const file = openSync(path, "r");
      try {
        await sync(file);
      } finally {
        closeSync(file);
      }
    }
  };
  await Promise.all(Array.from({ length: mostSyncs }, worker));
}
