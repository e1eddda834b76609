import type { JsonValue } from "../json.ts";
import { keyOfScalar, resolvePlain } from "./go-scalar.ts";
import { setMember } from "./members.ts";
import { TextError } from "./problem.ts";
import { BlockLines, outsideSubset } from "./yaml-block-lines.ts";
import { longestWord, readLiteral, readPlain, readQuoted } from "./yaml-block-scalars.ts";

/**
 * Reads what renderers write: block mappings and sequences of plain, quoted and literal scalars, `[]` and `{}`. It
 * agrees with the general reader on every text it takes. Undefined for all other texts, faulty ones among them: no
 * flow collections with content, folded scalars, anchors, tags, merges, directives, tabs, or anything deep.
 */
export function readBlockYaml(text: string): { readonly value: JsonValue } | undefined {
  if (!text.endsWith("\n") || beyond.test(text)) return undefined;
  try {
    return new BlockReader(text).read();
  } catch (error) {
    if (error === outsideSubset || error instanceof TextError) return undefined;
    throw error;
  }
}

/** Control characters, tabs, a byte order mark in front, and line breaks other than a line feed. */
const beyond = /^\ufeff|[^\n\u0020-\u007e\u00a0-\u2027\u202a-\ufffd]/;
const deepest = 200;
const longestKey = 1000;

class BlockReader {
  readonly #text: string;
  readonly #lines: BlockLines;
  readonly #keys: (string | undefined)[] = [];
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lines = new BlockLines(text);
  }

  read(): { readonly value: JsonValue } | undefined {
    const lines = this.#lines;
    lines.next(this.#text.startsWith("---\n") ? 4 : 0);
    if (lines.column === -1) return undefined;
    const value = this.#block();
    return lines.column === -1 ? { value } : undefined;
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
      setMember(object, key, this.#valueOf(this.#behindKey, column, true));
    } while (lines.column === column);
    if (lines.column > column) throw outsideSubset;
    this.#depth--;
    return object;
  }

  /** `indentless`: it stands in the column of the key that it is the value of. */
  #sequence(column: number, indentless: boolean): JsonValue {
    this.#enter();
    const lines = this.#lines;
    const items: JsonValue[] = [];
    do items.push(this.#item(column));
    while (lines.column === column && lines.isDash(lines.at));
    if (lines.column > column || (lines.column === column && !indentless)) throw outsideSubset;
    this.#depth--;
    return items;
  }

  #item(column: number): JsonValue {
    const lines = this.#lines;
    const dash = lines.at;
    let at = dash + 1;
    while (this.#text.charCodeAt(at) === 32) at++;
    if (this.#text.charCodeAt(at) !== 10) {
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

  /** The value behind a colon or dash that ends at `from`, on its line or on those below. */
  #valueOf(from: number, column: number, inMapping: boolean): JsonValue {
    const lines = this.#lines;
    const text = this.#text;
    let at = from;
    let code = text.charCodeAt(at);
    while (code === 32) code = text.charCodeAt(++at);
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
      if (text.charCodeAt(at + 1) !== code + 2) throw outsideSubset;
      this.#endLine(at + 2);
      return code === 91 ? [] : {};
    }
    if (notPlain.has(code) || lines.isDash(at)) throw outsideSubset;
    return readPlain(lines, at, column);
  }

  #endLine(from: number): void {
    let at = from;
    while (this.#text.charCodeAt(at) === 32) at++;
    if (this.#text.charCodeAt(at) !== 10) throw outsideSubset;
    this.#lines.next(at + 1);
  }

  /** Offset behind the colon of the key that was read last. */
  #behindKey = 0;

  #key(at: number): string {
    const text = this.#text;
    const first = text.charCodeAt(at);
    if (first === 34 || first === 39) {
      const { value, end, isOneLine } = readQuoted(this.#lines, at);
      if (!isOneLine || end - at > longestKey || !this.#isColon(end)) throw outsideSubset;
      this.#behindKey = end + 1;
      return value;
    }
    if (notPlain.has(first) || first === 45) throw outsideSubset;
    let hash = 0;
    let end = at;
    let code = first;
    for (; !(code === 58 && this.#isColon(end)); code = text.charCodeAt(++end)) {
      if (code === 10 || (code === 35 && text.charCodeAt(end - 1) === 32)) throw outsideSubset;
      hash = (hash * 31 + code) & 0xfff;
    }
    if (end - at > longestKey || text.charCodeAt(end - 1) === 32) throw outsideSubset;
    this.#behindKey = end + 1;
    const known = this.#keys[hash];
    if (known !== undefined && known.length === end - at && text.startsWith(known, at)) return known;
    return this.#newKey(text.slice(at, end), hash);
  }

  /** Keys come again and again; a text that was a key before is not looked at again. */
  #newKey(text: string, hash: number): string {
    const first = text.charCodeAt(0);
    const isWord = (first | 32) >= 97 && (first | 32) <= 122 && text.length > longestWord;
    const key = isWord ? text : keyOfScalar(resolvePlain(text), text);
    if (key === undefined || text === "<<") throw outsideSubset;
    if (key === text) this.#keys[hash] = key;
    return key;
  }

  #isColon(at: number): boolean {
    if (this.#text.charCodeAt(at) !== 58) return false;
    const after = this.#text.charCodeAt(at + 1);
    return after === 32 || after === 10;
  }

  /** True when a colon ends a key on this line. */
  #isKey(at: number): boolean {
    const text = this.#text;
    const first = text.charCodeAt(at);
    if (first === 34 || first === 39) return this.#isColon(readQuoted(this.#lines, at).end);
    if (notPlain.has(first)) return false;
    for (let here = at; ; here++) {
      const code = text.charCodeAt(here);
      if (code === 10) return false;
      if (code === 58 && this.#isColon(here)) return true;
    }
  }
}

/** First letters that no plain scalar has, or only under conditions. `-` is looked at by itself. */
const notPlain: ReadonlySet<number> = new Set(Array.from("?:,[]{}#&*!|>'\"%@`", (letter) => letter.charCodeAt(0)));
