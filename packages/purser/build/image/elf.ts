import { done, failed, type Result } from "@purser/kubernetes/result";

/** Processors of an image, as in an OCI platform. */
export type Architecture = "amd64" | "arm64";

/** What the dynamic linker reads of a program or library (System V ABI, "Object Files" and "Program Loading"). */
export interface ElfFacts {
  readonly architecture: Architecture;
  /** Path of the dynamic linker; absent for a library. */
  readonly interpreter?: string;
  /** Names of libraries, in the order of the file. */
  readonly needed: readonly string[];
}

const machines: Readonly<Record<number, Architecture>> = { 62: "amd64", 183: "arm64" };
const [loadSegment, dynamicSegment, interpreterSegment] = [1, 2, 3];
const [neededTag, stringTableTag] = [1n, 5n];
const headerSize = 64;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: bigint;
  readonly size: number;
}

/** Reads a 64-bit little-endian ELF file for x86-64 or AArch64; the problem says what else the file is. */
export function readElf(bytes: Uint8Array): Result<ElfFacts, string> {
  const view = viewOf(bytes);
  if (bytes.length < headerSize || view.getUint32(0) !== 0x7f454c46) return failed("it is no ELF file");
  if (view.getUint8(4) !== 2 || view.getUint8(5) !== 1) return failed("it is no 64-bit little-endian ELF file");
  const machine = view.getUint16(18, true);
  const architecture = machines[machine];
  if (architecture === undefined)
    return failed(`it is for the ELF machine ${machine}, which is neither amd64 nor arm64`);
  const segments = segmentsOf(view);
  if (segments.some(({ offset, size }) => offset + size > bytes.length)) return failed("it is truncated");
  const interpreter = segments.find(({ type }) => type === interpreterSegment);
  return done({
    architecture,
    ...(interpreter && { interpreter: textAt(bytes, interpreter.offset) }),
    needed: neededOf(bytes, view, segments),
  });
}

/**
 * The file without what no loader reads: symbols and sections for debuggers and linkers, which lie behind the last segment. Equal
 * bytes give equal bytes, on every machine and without a tool.
 */
export function strippedElf(bytes: Uint8Array): Uint8Array {
  const end = Math.max(...segmentsOf(viewOf(bytes)).map(({ offset, size }) => offset + size));
  const stripped = bytes.slice(0, end);
  const view = viewOf(stripped);
  // e_shoff, e_shnum and e_shstrndx: there is no section table any more.
  view.setBigUint64(40, 0n, true);
  view.setUint16(60, 0, true);
  view.setUint16(62, 0, true);
  return stripped;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function segmentsOf(view: DataView): readonly Segment[] {
  const start = Number(view.getBigUint64(32, true));
  const size = view.getUint16(54, true);
  const segments: Segment[] = [];
  for (let at = start; at < start + size * view.getUint16(56, true) && at + size <= view.byteLength; at += size)
    segments.push({
      type: view.getUint32(at, true),
      offset: Number(view.getBigUint64(at + 8, true)),
      address: view.getBigUint64(at + 16, true),
      size: Number(view.getBigUint64(at + 32, true)),
    });
  return segments;
}

function neededOf(bytes: Uint8Array, view: DataView, segments: readonly Segment[]): readonly string[] {
  const dynamic = segments.find(({ type }) => type === dynamicSegment);
  if (dynamic === undefined) return [];
  const entries: (readonly [tag: bigint, value: bigint])[] = [];
  for (let at = dynamic.offset; at + 16 <= dynamic.offset + dynamic.size; at += 16)
    entries.push([view.getBigUint64(at, true), view.getBigUint64(at + 8, true)]);
  const table = entries.find(([tag]) => tag === stringTableTag)?.[1] ?? 0n;
  const holder = segments.find(
    ({ type, address, size }) => type === loadSegment && table >= address && table < address + BigInt(size),
  );
  if (holder === undefined) return [];
  const start = holder.offset + Number(table - holder.address);
  return entries.flatMap(([tag, value]) => (tag === neededTag ? [textAt(bytes, start + Number(value))] : []));
}

function textAt(bytes: Uint8Array, start: number): string {
  return new TextDecoder().decode(bytes.subarray(start, bytes.indexOf(0, start)));
}
