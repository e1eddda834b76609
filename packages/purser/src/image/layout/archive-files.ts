import { createWriteStream } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ByteReader } from "../layers/byte-reader.ts";
import { compressionOfFile, InflatedContent } from "../layers/byte-reader.ts";
import { imagePath } from "../layers/entry-path.ts";
import { tarEntries } from "../layers/tar-entries.ts";
import { UnpackError, type UnpackLimits } from "../layers/unpack-limits.ts";
import { partOfFile, type StoredFiles } from "./stored-files.ts";

/** Images of an archive have some layers each. */
const mostMembers = 100_000;
const mostLinks = 16;

type Member = { readonly offset: number; readonly size: number } | { readonly target: string };

/**
 * The files of a tar archive, read in place: one walk from header to header finds where each lies. A compressed archive is
 * decompressed to `scratch` first, which `close` removes. Rejects with an `UnpackError` for a broken archive.
 */
export async function filesOfArchive(path: string, scratch: string, limits: UnpackLimits): Promise<StoredFiles> {
  const compression = compressionOfFile(path);
  const file = compression === "none" ? path : scratch;
  const close = async (): Promise<void> => rm(scratch, { force: true });
  try {
    if (compression !== "none") {
      const inflated = InflatedContent.open(path, () => compression, limits, { bytes: limits.inflatedBytes });
      await pipeline(Readable.from(parts(inflated)), createWriteStream(scratch, { flags: "wx", mode: 0o600 }));
    }
    const members = await membersOf(file);
    const find = (name: string): { readonly offset: number; readonly size: number } | undefined => {
      let member = members.get(name);
      for (let links = 0; member !== undefined && "target" in member && links < mostLinks; links++)
        member = members.get(member.target);
      return member === undefined || "target" in member ? undefined : member;
    };
    return {
      size: async (name) => find(name)?.size,
      async stream(name) {
        const member = find(name);
        if (member === undefined) throw new Error(`${name} is not in ${path}`);
        return member.size === 0 ? Readable.from([]) : partOfFile(file, member.offset, member.size);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* parts(bytes: ByteReader): AsyncGenerator<Buffer> {
  try {
    for (let part = await bytes.some(2 ** 20); part.length > 0; part = await bytes.some(2 ** 20)) yield part;
  } finally {
    bytes.close();
  }
}

async function membersOf(path: string): Promise<ReadonlyMap<string, Member>> {
  const members = new Map<string, Member>();
  const bytes = await PlainFile.open(path);
  let headers = 0;
  const count = (): void => {
    if (++headers > mostMembers) throw new UnpackError("limit", `the archive has more than ${mostMembers} entries`);
  };
  try {
    for await (const entry of tarEntries(bytes, count)) {
      const name = imagePath(entry.name);
      if (!name.ok) throw new UnpackError("limit", name.problem);
      const key = name.value.join("/");
      if (entry.kind === "file" && !entry.isSparse) members.set(key, { offset: bytes.position, size: entry.size });
      // Archives of docker share equal layers by links: `../OTHER/layer.tar`.
      else if (entry.kind === "symlink") members.set(key, { target: linkTarget(name.value, entry.target) });
      else if (entry.kind === "link") members.set(key, { target: entry.target });
      else members.delete(key);
    }
  } finally {
    await bytes.end();
  }
  return members;
}

/** A link that leads above the archive names nothing in it. */
function linkTarget(from: readonly string[], target: string): string {
  const path = from.slice(0, -1);
  for (const element of target.split("/"))
    if (element === "..") path.pop();
    else if (element !== "" && element !== ".") path.push(element);
  return path.join("/");
}

/** A file read at positions, so that skipping costs nothing. */
class PlainFile implements ByteReader {
  position = 0;
  readonly #file: FileHandle;
  readonly #size: number;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  static async open(path: string): Promise<PlainFile> {
    const file = await open(path, "r");
    return new PlainFile(file, (await file.stat()).size);
  }

  async read(length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, this.position);
    this.position += bytesRead;
    return buffer.subarray(0, bytesRead);
  }

  some(length: number): Promise<Buffer> {
    return this.read(Math.min(length, 64 * 1024));
  }

  async skip(length: number): Promise<boolean> {
    this.position += length;
    return this.position <= this.#size;
  }

  close(): void {
    void this.end();
  }

  end(): Promise<void> {
    return this.#file.close();
  }
}
