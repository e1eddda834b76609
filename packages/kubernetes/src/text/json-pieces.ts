import { knownKeys } from "../known-keys.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/** Characters of a piece of a long text: a few milliseconds of work. */
export const pieceLength = 16 * 1024;

/** A last member of an object whose items are made one by one. */
export interface LongMember {
  readonly name: string;
  readonly items: Iterable<JsonValue>;
}

/**
 * What `JSON.stringify(value, undefined, indent)` makes of an object, in pieces, each made when it is asked for. Items of
 * `long`, a last member, are taken one by one.
 */
export function* jsonInPieces(value: JsonObject, indent: "" | "  ", long?: LongMember): Generator<string> {
  const writer = new Writer(indent);
  yield* writer.object(value, "", long);
  yield writer.take();
}

class Writer {
  readonly #indent: string;
  #text = "";

  constructor(indent: string) {
    this.#indent = indent;
  }

  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  *object(value: JsonObject, outer: string, long?: LongMember): Generator<string> {
    const inner = outer + this.#indent;
    let count = 0;
    for (const key of knownKeys(value)) {
      const held = value[key];
      if (held === undefined) continue;
      this.#text += `${this.#start(count++, "{", inner)}${this.#key(key)}`;
      yield* this.#value(held, inner);
    }
    if (long !== undefined) {
      this.#text += `${this.#start(count++, "{", inner)}${this.#key(long.name)}`;
      yield* this.#list(long.items, inner);
    }
    this.#text += this.#end(count, "{", "}", outer);
  }

  *#list(items: Iterable<JsonValue>, outer: string): Generator<string> {
    const inner = outer + this.#indent;
    let count = 0;
    for (const item of items) {
      // To make it may have taken time as well.
      if (count > 0 && isWide(item)) yield "";
      this.#text += this.#start(count++, "[", inner);
      yield* this.#value(item, inner);
    }
    this.#text += this.#end(count, "[", "]", outer);
  }

  *#value(value: JsonValue, outer: string): Generator<string> {
    if (!isWide(value)) {
      const text = JSON.stringify(value, undefined, this.#indent);
      // No text within has a line break: JSON escapes it.
      this.#text += this.#indent === "" ? text : text.replaceAll("\n", `\n${outer}`);
    } else if (isJsonObject(value)) yield* this.object(value, outer);
    else yield* this.#list(value as readonly JsonValue[], outer);
    if (this.#text.length >= pieceLength) yield this.take();
  }

  #key(key: string): string {
    return `${JSON.stringify(key)}:${this.#indent === "" ? "" : " "}`;
  }

  #start(count: number, bracket: string, inner: string): string {
    return (count === 0 ? bracket : ",") + (this.#indent === "" ? "" : `\n${inner}`);
  }

  #end(count: number, open: string, close: string, outer: string): string {
    if (count === 0) return open + close;
    return this.#indent === "" ? close : `\n${outer}${close}`;
  }
}

/** Values in a value that are written at once. */
const narrow = 128;

/** Whether a value holds so many others (more than `most`) that it is written in pieces. */
export function isWide(value: JsonValue | undefined, most = narrow): value is readonly JsonValue[] | JsonObject {
  return countUpTo(most, value, 0) > most;
}

function countUpTo(most: number, value: JsonValue | undefined, before: number): number {
  let count = before + 1;
  if (typeof value !== "object" || value === null || count > most) return count;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      if (count > most) break;
      count = countUpTo(most, item, count);
    }
    return count;
  }
  if (!isJsonObject(value)) return count;
  for (const key of knownKeys(value)) {
    if (count > most) break;
    count = countUpTo(most, value[key], count);
  }
  return count;
}
