import { countNewlines, decodeLenient } from "./utf8.ts";
import { WrittenScan } from "./written-value.ts";

/** Which items of a document in JSON stay bytes: those of this list of the document that are `{"type": ..., "value": ...}`. */
export interface KeptItems {
  readonly list: string;
  /** A type whose items are apart from those of other types, because they are moved. */
  readonly apart: string;
  /** A type whose items are read. */
  readonly read: string;
}

/** A document in JSON without the items that stay bytes. */
export interface CutDocument {
  /** With one item in place of each piece of {@link items}, which has the type of the first of them. */
  readonly text: string;
  /** In pieces of one item or more, as Go's encoder writes them: with sorted keys, and four spaces a level. */
  readonly items: readonly Uint8Array[];
  /** What comes before each piece, and behind the last one. */
  readonly around: readonly string[];
  /** Of the whole document. */
  readonly lineFeeds: number;
}

const words = "kept items ";
const encoder = new TextEncoder();
const typeHead = encoder.encode('        {\n            "type": ');
const valueHead = encoder.encode(',\n            "value": ');
const itemEnd = encoder.encode("\n        }");
const lineFeedsOfItem = 3;
const nothing = new Uint8Array(0);

/**
 * Takes out of the object in these bytes the items that {@link withKeptItems} can put back; undefined when there are
 * none. The bytes are valid JSON when the remaining text is.
 */
export function cutKeptItems(bytes: Uint8Array, { list, apart, read }: KeptItems): CutDocument | undefined {
  let at = firstItem(bytes, list);
  if (at === -1) return undefined;
  const scan = new ItemScan(bytes, apart, read);
  const items: Uint8Array[] = [];
  const around: string[] = [];
  let text = "";
  let lineFeeds = 0;
  let done = 0;
  while (at !== -1) {
    const end = scan.behindItems(at);
    if (end !== -1) {
      const before = bytes.subarray(done, at);
      const decoded = decodeLenient(before);
      around.push(decoded);
      text += `${decoded}{"type": ${scan.type}, "value": "${words}${items.length}"}`;
      lineFeeds += countNewlines(before, before.length);
      items.push(bytes.slice(at, end));
      done = end;
    }
    at = nextItem(bytes, end === -1 ? at : end - 1);
  }
  if (items.length === 0) return undefined;
  const rest = bytes.subarray(done);
  const decoded = decodeLenient(rest);
  around.push(decoded);
  lineFeeds += scan.lineFeeds + countNewlines(rest, rest.length);
  return { text: text + decoded, items, around, lineFeeds };
}

/** Finds items that can stay bytes. */
class ItemScan {
  /** Of all items that were found. */
  lineFeeds = 0;
  /** As JSON, of the first of the items found last. */
  type = "";
  readonly #bytes: Uint8Array;
  readonly #apart: Uint8Array;
  readonly #read: Uint8Array;
  readonly #values: WrittenScan;

  constructor(bytes: Uint8Array, apart: string, read: string) {
    this.#bytes = bytes;
    this.#apart = encoder.encode(JSON.stringify(apart));
    this.#read = encoder.encode(JSON.stringify(read));
    this.#values = new WrittenScan(bytes, 3);
  }

  /** Behind the last of the items from `at` on that stay bytes together; -1 when the first one does not. */
  behindItems(at: number): number {
    const bytes = this.#bytes;
    const typeAt = at + typeHead.length;
    let last = this.#behindItem(at);
    if (last === -1) return -1;
    this.type = decodeLenient(bytes.subarray(typeAt, this.#values.behindString(typeAt)));
    const apart = startsAt(bytes, typeAt, this.#apart);
    while (bytes[last] === 0x2c && bytes[last + 1] === 10) {
      if (startsAt(bytes, last + 2 + typeHead.length, this.#apart) !== apart) break;
      const next = this.#behindItem(last + 2);
      if (next === -1) break;
      this.lineFeeds++;
      last = next;
    }
    return last;
  }

  #behindItem(at: number): number {
    const bytes = this.#bytes;
    const typeAt = at + typeHead.length;
    if (!startsAt(bytes, at, typeHead) || startsAt(bytes, typeAt, this.#read)) return -1;
    const typeEnd = this.#values.behindString(typeAt);
    if (typeEnd === -1 || !startsAt(bytes, typeEnd, valueHead)) return -1;
    this.#values.lineFeeds = 0;
    const end = this.#values.behindValue(typeEnd + valueHead.length);
    if (end === -1 || !startsAt(bytes, end, itemEnd)) return -1;
    this.lineFeeds += this.#values.lineFeeds + lineFeedsOfItem;
    return end + itemEnd.length;
  }
}

/** Where the first item of the list of the document begins, with its indent; -1 where there is no such line. */
function firstItem(bytes: Uint8Array, list: string): number {
  const line = encoder.encode(`\n    ${JSON.stringify(list)}: [\n`);
  const bracket = line.length - 2;
  for (let at = bytes.indexOf(0x5b); at !== -1; at = bytes.indexOf(0x5b, at + 1))
    if (startsAt(bytes, at - bracket, line)) return at + 2;
  return -1;
}

/** Behind the end of the item that `at` is in; -1 when it is the last one. */
function nextItem(bytes: Uint8Array, at: number): number {
  const brace = itemEnd.length - 1;
  for (let here = bytes.indexOf(0x7d, at); here !== -1; here = bytes.indexOf(0x7d, here + 1))
    if (startsAt(bytes, here - brace, itemEnd))
      return bytes[here + 1] === 0x2c && bytes[here + 2] === 10 ? here + 3 : -1;
  return -1;
}

function startsAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let index = 0; index < part.length; index++) if (bytes[at + index] !== part[index]) return false;
  return true;
}

/** What stands for items in a text with four spaces a level, with the line feed before it. */
const standInItem = /\n {8}\{\n {12}"type": "[^\n]*",\n {12}"value": "kept items ([0-9]+)"\n {8}\}/g;

/**
 * A text with four spaces a level as UTF-8 in pieces, the items in place of what stands for them. Undefined when one of
 * the pieces is missing, repeated or at another level, or when a string of the text looks like what stands for one.
 */
export function withKeptItems(text: string, items: readonly Uint8Array[]): readonly Uint8Array[] | undefined {
  if (text.split(`"${words}`).length !== items.length + 1) return undefined;
  const pieces: Uint8Array[] = [];
  const put = new Set<Uint8Array>();
  let done = 0;
  for (const { index, 0: item, 1: number } of text.matchAll(standInItem)) {
    const bytes = items[Number(number)];
    if (bytes === undefined) return undefined;
    pieces.push(encoder.encode(text.slice(done, index + 1)), bytes);
    put.add(bytes);
    done = index + item.length;
  }
  if (put.size !== items.length) return undefined;
  pieces.push(encoder.encode(text.slice(done)));
  return pieces;
}

/** The text of the whole document. */
export function wholeText({ around, items }: CutDocument): string {
  return around.reduce((text, part, index) => text + decodeLenient(items[index - 1] ?? nothing) + part);
}
