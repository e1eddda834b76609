import { textOf } from "../catalog/schemas/go-shape.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { doubleJson } from "@purser/kubernetes/text/documents";
import { lineRowLength, type SectionName } from "./format.ts";

interface Line {
  readonly names: string;
  /** Bytes of the served line with its newline. */
  readonly length: number;
  readonly isAsStored: boolean;
}

/**
 * Collects the lines of the v1 catalog API in load order: the names by which they are asked for, and their lengths.
 * The bytes are those of the stored blob unless a number has more digits than a double: that API shows doubles.
 */
export class LineSections {
  readonly #lines: Line[] = [];

  /** @param storedLength bytes of the line */
  add(json: JsonObject, storedLine: string, storedLength: number): void {
    const names = JSON.stringify([textOf(json, "schema"), textOf(json, "package"), textOf(json, "name")]);
    // A shorter number is the same either way, and looking is cheap.
    const served = /\d{16}/.test(storedLine) ? servedLine(json) : storedLine;
    const isAsStored = served === storedLine;
    this.#lines.push({ names, length: isAsStored ? storedLength : Buffer.byteLength(served), isAsStored });
  }

  /** @param order position in load order of each blob */
  sections(order: readonly number[]): readonly (readonly [SectionName, Iterable<Uint8Array>])[] {
    const blobOf = new Uint32Array(order.length);
    for (const [id, position] of order.entries()) blobOf[position] = id;
    const table = new DataView(new ArrayBuffer(this.#lines.length * lineRowLength));
    const names = this.#lines.map((line) => Buffer.from(line.names));
    let end = 0;
    for (const [position, { length, isAsStored }] of this.#lines.entries()) {
      const at = position * lineRowLength;
      end += names[position]?.length ?? 0;
      table.setUint32(at, blobOf[position] ?? 0, true);
      table.setUint32(at + 4, length, true);
      table.setUint32(at + 8, end, true);
      table.setUint32(at + 12, isAsStored ? 1 : 0, true);
    }
    return [
      ["lines", [new Uint8Array(table.buffer)]],
      ["lineNames", names],
    ];
  }
}

/** A blob as the v1 catalog API shows it: every number a double. */
export function servedLine(json: JsonObject): string {
  return `${doubleJson(json)}\n`;
}
