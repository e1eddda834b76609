import { unpackTar } from "modern-tar";
import type { ByteReader } from "./byte-reader.ts";
import type { LayerEntry } from "./layer-entry.ts";
import { quoted } from "./layer-entry.ts";
import { UnpackError } from "./unpack-limits.ts";

/** An entry of a tar archive; its content is what the reader gives next. */
export interface TarEntry extends LayerEntry {
  /** The bytes of the content, at most `atMost` at a time; whatever is not read is skipped before the next entry. */
  content(): AsyncGenerator<Buffer>;
}

const blockBytes = 512;
/** Long names and PAX records: the system's limit for a path is 4 KiB, extended attributes may have 64 KiB. */
const largestMeta = 1024 * 1024;
const mostMetas = 8;

const kinds: Readonly<Record<string, LayerEntry["kind"]>> = {
  "\0": "file",
  "0": "file",
  "7": "file",
  S: "file",
  "1": "link",
  "2": "symlink",
  "3": "device",
  "4": "device",
  "5": "directory",
  "6": "device",
};

/**
 * The entries of a tar archive (old, ustar, GNU and PAX) in their order. The library decodes headers; this walks from one
 * to the next and refuses what the library would take for a plain file: unknown entry types, broken checksums, sizes that
 * two readers could understand differently. Global PAX headers have no effect, as in Go's reader. Rejects with an
 * `UnpackError`.
 */
export async function* tarEntries(bytes: ByteReader, onHeader: () => void = () => undefined): AsyncGenerator<TarEntry> {
  for (;;) {
    const group = await readGroup(bytes, onHeader);
    if (group === undefined) return;
    const { header, kind, storedBytes, isOldSparse } = await decodeGroup(group);
    for (let more = isOldSparse && (group.header[482] ?? 0) !== 0; more;) {
      const extension = await bytes.read(blockBytes);
      if (extension.length < blockBytes) throw truncated();
      more = (extension[504] ?? 0) !== 0;
    }
    let left = storedBytes;
    yield {
      name: header.name,
      kind,
      isSparse: isOldSparse || Object.keys(header.pax ?? {}).some((key) => key.startsWith("GNU.sparse.")),
      size: storedBytes,
      target: header.linkname ?? "",
      async *content() {
        while (left > 0) {
          const part = await bytes.some(left);
          if (part.length === 0) throw truncated();
          left -= part.length;
          yield part;
        }
      },
    };
    const padding = -storedBytes & (blockBytes - 1);
    if (!(await bytes.skip(left))) throw truncated();
    // An archive without a trailer may also lack the last padding.
    await bytes.skip(padding);
  }
}

/** An entry's header with what belongs to it: long names and PAX records stand before. */
interface Group {
  readonly metas: readonly Buffer[];
  readonly header: Buffer;
  readonly flag: string;
}

async function readGroup(bytes: ByteReader, onHeader: () => void): Promise<Group | undefined> {
  const metas: Buffer[] = [];
  for (;;) {
    const header = await bytes.read(blockBytes);
    if (header.length === 0 && metas.length === 0) return undefined;
    if (header.length < blockBytes) throw truncated();
    if (isZero(header)) {
      if (metas.length > 0) throw truncated();
      const next = await bytes.read(blockBytes);
      if (next.length === 0 || isZero(next)) return undefined;
      throw new UnpackError("invalid", "the archive goes on behind its end");
    }
    onHeader();
    if (!hasChecksum(header)) throw new UnpackError("invalid", "a header of the archive has a wrong checksum");
    const flag = String.fromCharCode(header[156] ?? 0);
    if (!"xgLK".includes(flag)) return { metas, header, flag };
    const size = octal(header.subarray(124, 136));
    if (size === undefined) throw new UnpackError("invalid", "a header of the archive has no size");
    if (size > largestMeta || metas.length >= 2 * mostMetas)
      throw new UnpackError("limit", "an entry of the archive has more than 1 MiB of names and attributes");
    const padded = size + (-size & (blockBytes - 1));
    const body = await bytes.read(padded);
    if (body.length < padded) throw truncated();
    if (flag !== "g") metas.push(header, body);
  }
}

async function decodeGroup({ metas, header: block, flag }: Group) {
  const kind = Object.hasOwn(kinds, flag) ? kinds[flag] : undefined;
  if (kind === undefined)
    throw new UnpackError("invalid", `the archive has an entry of the unknown type ${quoted(flag)}`);
  // Without its content the archive looks cut off, which the library tolerates unless it is strict.
  const [entry] = await unpackTar(Buffer.concat([...metas, block])).catch((error: unknown) => {
    throw new UnpackError("invalid", `a header of the archive is broken: ${String(error)}`);
  });
  if (entry === undefined) throw new UnpackError("invalid", "a header of the archive is broken");
  const { header } = entry;
  const hasContent = kind === "file";
  const storedBytes = hasContent ? header.size : 0;
  if (!Number.isSafeInteger(storedBytes) || storedBytes < 0)
    throw new UnpackError("invalid", `entry ${quoted(header.name)} has an impossible size`);
  // Archives older than POSIX mark a directory by its name alone.
  const isOldDirectory = hasContent && header.name.endsWith("/");
  const namesSize = octal(block.subarray(124, 136)) !== 0 || header.pax?.["size"] !== undefined;
  if (isOldDirectory && namesSize)
    throw new UnpackError("invalid", `entry ${quoted(header.name)} is a directory with content`);
  return { header, kind: isOldDirectory ? ("directory" as const) : kind, storedBytes, isOldSparse: flag === "S" };
}

function truncated(): UnpackError {
  return new UnpackError("invalid", "the archive is cut off");
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

/** The sum of all bytes with blanks in place of the sum itself; some old programs added signed bytes. */
function hasChecksum(block: Buffer): boolean {
  let unsigned = 8 * 0x20;
  let signed = unsigned;
  for (const [index, byte] of block.entries()) {
    if (index >= 148 && index < 156) continue;
    unsigned += byte;
    signed += byte > 0x7f ? byte - 0x100 : byte;
  }
  const stored = octal(block.subarray(148, 156));
  return stored === unsigned || stored === signed;
}

/** Undefined for what is no octal number; such sizes are encoded in base 256. */
function octal(field: Buffer): number | undefined {
  const text = field
    .toString("latin1")
    .replace(/\0[^]*$/, "")
    .trim();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || "0", 8) : undefined;
}
