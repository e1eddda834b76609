import { compareBytes } from "@purser/kubernetes/text/documents";

/** Reads `length` bytes at an offset of the table. */
export type ReadAt = (offset: number, length: number) => Uint8Array;

const rowLength = 8;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A table from text keys to small JSON values that is searched where it lies: the number of rows, then key and value
 * lengths' running ends (32 bits each, little endian), then keys and values. Keys in byte order.
 */
export function writeTable(rows: Iterable<readonly [key: string, value: unknown]>): Uint8Array {
  const sorted = [...rows].sort(([a], [b]) => compareBytes(a, b));
  const cells = sorted.map(([key, value]) => [encoder.encode(key), encoder.encode(JSON.stringify(value))] as const);
  const head = 4 + cells.length * rowLength;
  const size = cells.reduce((sum, [key, value]) => sum + key.length + value.length, head);
  const table = new Uint8Array(size);
  const view = new DataView(table.buffer);
  view.setUint32(0, cells.length, true);
  let end = head;
  for (const [index, [key, value]] of cells.entries()) {
    table.set(key, end);
    end += key.length;
    view.setUint32(4 + index * rowLength, end, true);
    table.set(value, end);
    end += value.length;
    view.setUint32(4 + index * rowLength + 4, end, true);
  }
  return table;
}

export interface SortedTable {
  readonly size: number;
  /** The value of a key, parsed; undefined when absent. Costs one read per halving. */
  find(key: string): unknown;
  keys(): readonly string[];
}

/** Tables with at most this many rows keep the places of their rows in memory: 128 KiB. */
const rowsInMemory = 16 * 1024;

/** Tables up to this size are kept whole: a look-up then reads nothing. */
const bytesInMemory = 128 * 1024;

/** Opens a table over positioned reads. */
export function openTable(read: ReadAt): SortedTable {
  const size = number(read(0, 4), 0);
  const head = size <= rowsInMemory ? viewOf(read(4, size * rowLength)) : undefined;
  // Running ends: of keys at even numbers, of values at odd ones.
  const endAt = (cell: number): number =>
    cell < 0 ? 4 + size * rowLength : (head?.getUint32(cell * 4, true) ?? number(read(4 + cell * 4, 4), 0));
  const total = endAt(size * 2 - 1);
  const whole = total <= bytesInMemory ? read(0, total) : undefined;
  const textAt = (start: number, end: number): string =>
    decoder.decode(whole?.subarray(start, end) ?? read(start, end - start));
  const compareAt = (start: number, end: number, wanted: Uint8Array): number =>
    whole === undefined
      ? compareKeys(read(start, end - start), 0, end - start, wanted)
      : compareKeys(whole, start, end, wanted);
  return {
    size,
    keys: () => Array.from({ length: size }, (_, row) => textAt(endAt(row * 2 - 1), endAt(row * 2))),
    find: (key) => {
      const wanted = encoder.encode(key);
      let low = 0;
      let high = size - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        const end = endAt(middle * 2);
        const order = compareAt(endAt(middle * 2 - 1), end, wanted);
        if (order === 0) return JSON.parse(textAt(end, endAt(middle * 2 + 1)));
        if (order < 0) low = middle + 1;
        else high = middle - 1;
      }
      return undefined;
    },
  };
}

/** The key at `start` to `end` of the bytes against the wanted one. */
function compareKeys(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): number {
  const shorter = Math.min(end - start, wanted.length);
  for (let at = 0; at < shorter; at++) {
    const difference = (bytes[start + at] ?? 0) - (wanted[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return end - start - wanted.length;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function number(bytes: Uint8Array, offset: number): number {
  return viewOf(bytes).getUint32(offset, true);
}
