/** A small ELF file: its header, segments, the dynamic section with names of libraries, and `behind` after the last segment. */
export function madeElf(options: {
  readonly machine?: number;
  readonly interpreter?: string;
  readonly needed?: readonly string[];
  readonly behind?: string;
}): Uint8Array {
  const { machine = 62, interpreter, needed = [], behind = "" } = options;
  const names = `\0${needed.map((name) => `${name}\0`).join("")}${interpreter ?? ""}\0`;
  const [segments, dynamic] = [64, 64 + 3 * 56];
  const strings = dynamic + (needed.length + 2) * 16;
  const end = strings + names.length;
  const bytes = new Uint8Array(end + behind.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(18, machine, true);
  view.setBigUint64(32, BigInt(segments), true);
  view.setBigUint64(40, BigInt(end), true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 3, true);
  view.setUint16(60, 7, true);
  view.setUint16(62, 6, true);
  // Loaded at an address that differs from its place in the file.
  const base = 0x40_0000;
  const segment = (at: number, type: number, offset: number, size: number): void => {
    view.setUint32(segments + at * 56, type, true);
    view.setBigUint64(segments + at * 56 + 8, BigInt(offset), true);
    view.setBigUint64(segments + at * 56 + 16, BigInt(base + offset), true);
    view.setBigUint64(segments + at * 56 + 32, BigInt(size), true);
  };
  segment(0, 1, 0, end);
  segment(1, 2, dynamic, (needed.length + 2) * 16);
  if (interpreter !== undefined) segment(2, 3, end - interpreter.length - 1, interpreter.length + 1);
  let name = 1;
  needed.forEach((library, index) => {
    view.setBigUint64(dynamic + index * 16, 1n, true);
    view.setBigUint64(dynamic + index * 16 + 8, BigInt(name), true);
    name += library.length + 1;
  });
  view.setBigUint64(dynamic + needed.length * 16, 5n, true);
  view.setBigUint64(dynamic + needed.length * 16 + 8, BigInt(base + strings), true);
  bytes.set(new TextEncoder().encode(names), strings);
  bytes.set(new TextEncoder().encode(behind), end);
  return bytes;
}
