import { compareBytes } from "../text/documents.ts";

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

/** Opens a table over positioned reads. */
export function openTable(read: ReadAt): SortedTable {
  const size = number(read(0, 4), 0);
  const ends = (row: number): { readonly start: number; readonly keyEnd: number; readonly end: number } => {
    if (row === 0) {
      const cells = read(4, rowLength);
      return { start: 4 + size * rowLength, keyEnd: number(cells, 0), end: number(cells, 4) };
    }
    const cells = read(4 + row * rowLength - 4, rowLength + 4);
    return { start: number(cells, 0), keyEnd: number(cells, 4), end: number(cells, 8) };
  };
  const keyAt = (row: number): string => {
    const { start, keyEnd } = ends(row);
    return decoder.decode(read(start, keyEnd - start));
  };
  return {
    size,
    keys: () => Array.from({ length: size }, (_, row) => keyAt(row)),
    find: (key) => {
      let low = 0;
      let high = size - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        const order = compareBytes(keyAt(middle), key);
        if (order === 0) {
          const { keyEnd, end } = ends(middle);
          return JSON.parse(decoder.decode(read(keyEnd, end - keyEnd)));
        }
        if (order < 0) low = middle + 1;
        else high = middle - 1;
      }
      return undefined;
    },
  };
}

function number(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
}
