import { lineRowLength } from "./format.ts";
import type { ReadAt } from "./sorted-table.ts";

/** A line of the v1 catalog API as the index knows it. */
export interface LineRow {
  readonly blob: number;
  /** Bytes as served, newline included. */
  readonly length: number;
  readonly isAsStored: boolean;
  readonly schema: string;
  /** As the blob has it: "" for an `olm.package` without that key. */
  readonly packageName: string;
  readonly name: string;
}

const rowsAtOnce = 1024;

/** All lines in load order; what was read of the index is not kept. */
export function* lineRows(lines: ReadAt, names: ReadAt, count: number): Generator<LineRow, void, void> {
  const decoder = new TextDecoder();
  let start = 0;
  for (let first = 0; first < count; first += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, count - first);
    const bytes = lines(first * lineRowLength, rows * lineRowLength);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const texts = names(start, view.getUint32((rows - 1) * lineRowLength + 8, true) - start);
    const base = start;
    for (let at = 0; at < bytes.length; at += lineRowLength) {
      const end = view.getUint32(at + 8, true);
      const found = JSON.parse(decoder.decode(texts.subarray(start - base, end - base))) as readonly string[];
      const [schema = "", packageName = "", name = ""] = found;
      yield {
        blob: view.getUint32(at, true),
        length: view.getUint32(at + 4, true),
        isAsStored: view.getUint32(at + 12, true) !== 0,
        schema,
        packageName,
        name,
      };
      start = end;
    }
  }
}
