import type { JsonValue } from "../../json.ts";
import { keyOfScalar, resolvePlain } from "../go-scalar.ts";
import { setMember } from "../members.ts";
import { TextError } from "../problem.ts";
import { decodeUtf8 } from "../utf8.ts";
import { BlockLines, codesOf, outsideSubset, type TextBytes } from "./yaml-block-lines.ts";
import { behindBlanks, isLetter, longestWord, readLiteral, readPlain, readQuoted } from "./yaml-block-scalars.ts";

/**
 * Recognises items of a sequence that need not be read. Called for an item of a member of the document, whose dash is at
 * `at` in this column; `items` are what stands for those up to `end`, which is the beginning of a line. The text up to
 * there must certainly be valid, unless lines follow that are deeper than the dash: the items are read then. In this text
 * 127 stands for every UTF-16 unit that is not ASCII; it has no control characters but line feeds.
 */
export type KnownItems = (
  member: string,
  text: string,
  at: number,
  column: number,
) => { readonly items: readonly JsonValue[]; readonly end: number } | undefined;

export interface BlockDocument {
  readonly value: JsonValue;
  /** Whether some items were not read. */
  readonly skipped: boolean;
}

/**
 * Fast reader for the output of YAML renderers: block mappings and sequences of plain, quoted and literal scalars, `[]`
 * and `{}`. It agrees with the general reader on every text it accepts. Undefined for all other texts, including
 * invalid ones: flow collections with content, folded scalars, anchors, tags, merges, directives, tabs, and deep
 * nesting. With the bytes of the text it is faster.
 */
export function readBlockYaml(text: string, bytes?: TextBytes, knownItems?: KnownItems): BlockDocument | undefined {
  const codes = text.endsWith("\n") ? codesOf(text, bytes) : undefined;
  if (codes === undefined) return undefined;
  try {
    const ascii = bytes?.letters === "ascii" ? text : undefined;
    return new BlockReader(new BlockLines(text, codes), knownItems, ascii).read();
  } catch (error) {
    if (error === outsideSubset || error instanceof TextError) return undefined;
    throw error;
  }
}

const deepest = 200;
const longestKey = 1000;
/** Keys by a hash of their letters, because documents repeat the same keys. */
const knownKeys: (string | undefined)[] = Array.from({ length: 4096 });

class BlockReader {
  readonly #lines: BlockLines;
  readonly #codes: Uint8Array;
  readonly #knownItems: KnownItems | undefined;
  /** The text in one byte a character: patterns are compiled anew for others. */
  #ascii: string | undefined;
  #depth = 0;
  /** The last key of the document's own mapping. */
  #member: string | undefined;
  #skipped = false;
  /** Items before this offset are not looked up again. */
  #readUntil = 0;

  constructor(lines: BlockLines, knownItems: KnownItems | undefined, ascii: string | undefined) {
    this.#lines = lines;
    this.#codes = lines.codes;
    this.#knownItems = knownItems;
    this.#ascii = ascii;
  }

  read(): BlockDocument | undefined {
    const lines = this.#lines;
    lines.next(lines.text.startsWith("---\n") ? 4 : 0);
    if (lines.column === -1) return undefined;
    const value = this.#block();
    return lines.column === -1 ? { value, skipped: this.#skipped } : undefined;
  }

  #block(): JsonValue {
    const { column, at } = this.#lines;
    return this.#lines.isDash(at) ? this.#sequence(column, false) : this.#mapping(column);
  }

  #enter(): void {
    if (++this.#depth > deepest) throw outsideSubset;
  }

  #mapping(column: number): JsonValue {
    this.#enter();
    const lines = this.#lines;
    const object: Record<string, JsonValue> = {};
    do {
      const key = this.#key(lines.at);
      if (this.#depth === 1) this.#member = key;
      setMember(object, key, this.#valueOf(this.#behindKey, column, true));
    } while (lines.column === column);
    if (lines.column > column) throw outsideSubset;
    this.#depth--;
    return object;
  }

  /** `indentless`: the sequence is at the column of its key. */
  #sequence(column: number, indentless: boolean): JsonValue {
    this.#enter();
    const lines = this.#lines;
    const items: JsonValue[] = [];
    const member = this.#knownItems === undefined || this.#depth !== 2 ? undefined : this.#member;
    do if (member === undefined || !this.#skips(member, items, column)) items.push(this.#item(column));
    while (lines.column === column && lines.isDash(lines.at));
    if (lines.column > column || (lines.column === column && !indentless)) throw outsideSubset;
    this.#depth--;
    return items;
  }

  /** Moves past items that are known, and adds what stands for them. */
  #skips(member: string, items: JsonValue[], column: number): boolean {
    const lines = this.#lines;
    const { at } = lines;
    if (at < this.#readUntil) return false;
    this.#ascii ??= decodeUtf8(this.#codes) ?? "";
    const known = this.#knownItems?.(member, this.#ascii, at, column);
    if (known === undefined) return false;
    lines.next(known.end);
    if (lines.column > column) {
      lines.at = at;
      lines.column = column;
      this.#readUntil = known.end;
      return false;
    }
    items.push(...known.items);
    return (this.#skipped = true);
  }

  #item(column: number): JsonValue {
    const lines = this.#lines;
    const dash = lines.at;
    const at = behindBlanks(this.#codes, dash + 1);
    if (this.#codes[at] !== 10) {
      const inner = column + at - dash;
      const isSequence = lines.isDash(at);
      if (isSequence || this.#isKey(at)) {
        lines.at = at;
        lines.column = inner;
        return isSequence ? this.#sequence(inner, false) : this.#mapping(inner);
      }
    }
    return this.#valueOf(dash + 1, column, false);
  }

  /** The value after a colon or dash that ends at `from`, on its line or on the following ones. */
  #valueOf(from: number, column: number, inMapping: boolean): JsonValue {
    const lines = this.#lines;
    const at = behindBlanks(this.#codes, from);
    const code = this.#codes[at] ?? 0;
    if (code === 10) {
      lines.next(at + 1);
      if (lines.column > column) return this.#block();
      return inMapping && lines.column === column && lines.isDash(lines.at) ? this.#sequence(column, true) : null;
    }
    if (code === 34 || code === 39) {
      const { value, end } = readQuoted(lines, at);
      this.#endLine(end);
      return value;
    }
    if (code === 124) return readLiteral(lines, at, column);
    if (code === 91 || code === 123) {
      if (this.#codes[at + 1] !== code + 2) throw outsideSubset;
      this.#endLine(at + 2);
      return code === 91 ? [] : {};
    }
    if (isNotPlain(code) || lines.isDash(at)) throw outsideSubset;
    return readPlain(lines, at, column);
  }

  #endLine(from: number): void {
    const at = behindBlanks(this.#codes, from);
    if (this.#codes[at] !== 10) throw outsideSubset;
    this.#lines.next(at + 1);
  }

  /** Offset after the colon of the last key. */
  #behindKey = 0;

  #key(at: number): string {
    const lines = this.#lines;
    const codes = this.#codes;
    const first = codes[at] ?? 0;
    if (first === 34 || first === 39) {
      const { value, end, isOneLine } = readQuoted(lines, at);
      if (!isOneLine || end - at > longestKey || !lines.isColon(end)) throw outsideSubset;
      this.#behindKey = end + 1;
      return value;
    }
    if (isNotPlain(first) || first === 45) throw outsideSubset;
    let hash = 0;
    let end = at;
    for (let code = first; !(code === 58 && lines.isColon(end)); code = codes[++end] ?? 10) {
      if (code === 10 || (code === 35 && codes[end - 1] === 32)) throw outsideSubset;
      hash = (hash * 31 + code) & 0xfff;
    }
    if (end - at > longestKey || codes[end - 1] === 32) throw outsideSubset;
    this.#behindKey = end + 1;
    const known = knownKeys[hash];
    if (known !== undefined && known.length === end - at && lines.text.startsWith(known, at)) return known;
    return newKey(lines.text.slice(at, end), hash);
  }

  /** Whether a colon ends a key on this line. */
  #isKey(at: number): boolean {
    const lines = this.#lines;
    const first = this.#codes[at] ?? 0;
    if (first === 34 || first === 39) return lines.isColon(readQuoted(lines, at).end);
    if (isNotPlain(first)) return false;
    for (let here = at; ; here++) {
      const code = this.#codes[here];
      if (code === 10) return false;
      if (code === 58 && lines.isColon(here)) return true;
    }
  }
}

/** Validates a new key and caches it. */
function newKey(text: string, hash: number): string {
  const isWord = text.length > longestWord && isLetter(text.charCodeAt(0));
  const key = isWord ? text : keyOfScalar(resolvePlain(text), text);
  if (key === undefined || text === "<<") throw outsideSubset;
  // A member name is a separate string that does not keep the document in memory.
  if (key === text) knownKeys[hash] = Object.keys({ [text]: null })[0];
  return key;
}

/** 1 for first letters that a plain scalar cannot have, or only under conditions. `-` is handled separately. */
const notPlain = new Uint8Array(256);
for (const letter of "?:,[]{}#&*!|>'\"%@`") notPlain[letter.charCodeAt(0)] = 1;

function isNotPlain(code: number): boolean {
  return notPlain[code] === 1;
}
