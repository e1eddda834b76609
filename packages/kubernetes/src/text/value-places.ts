import { positionAt } from "./problem.ts";
import type { Place } from "../place.ts";

/** Receives the places of values from a reader. */
export interface PlaceRecorder {
  value(pointer: string, offset: number): void;
  /** Reports the place of a member's key, which precedes its value. */
  key(pointer: string, offset: number): void;
  duplicate(pointer: string, offset: number): void;
}

/** Offsets of all values of one document by JSON pointer. */
export class ValuePlaces implements PlaceRecorder {
  readonly #offsets = new Map<string, number>();
  readonly #duplicates: { readonly pointer: string; readonly offset: number }[] = [];

  value(pointer: string, offset: number): void {
    if (offset >= 0 && !this.#offsets.has(pointer)) this.#offsets.set(pointer, offset);
  }

  key(pointer: string, offset: number): void {
    if (offset >= 0) this.#offsets.set(pointer, offset);
  }

  duplicate(pointer: string, offset: number): void {
    this.#duplicates.push({ pointer, offset });
  }

  /** The place of the value, or of its nearest existing parent. */
  find(pointer: string, text: string, base: Place): Place {
    for (let near = pointer; ; near = near.slice(0, near.lastIndexOf("/"))) {
      const offset = this.#offsets.get(near);
      if (offset !== undefined) return placed(offset, pointer, text, base);
      if (near === "") return placed(0, pointer, text, base);
    }
  }

  duplicates(text: string, base: Place): readonly Place[] {
    return this.#duplicates.map(({ offset, pointer }) => placed(offset, pointer, text, base));
  }
}

function placed(offset: number, pointer: string, text: string, base: Place): Place {
  const { line, column } = positionAt(text, offset);
  return {
    ...base,
    line: (base.line ?? 1) + line - 1,
    column: line === 1 ? (base.column ?? 1) + column - 1 : column,
    pointer,
  };
}
