import { countNewlines, decodeLenient } from "./utf8.ts";
import { writtenObject } from "./written-value.ts";

/** Which values of a document in JSON stay bytes: those of `{"type": TYPE, "value": {...}}` in this list of the document. */
export interface KeptValues {
  readonly list: string;
  readonly type: string;
}

/** A document in JSON without the values that stay bytes. */
export interface CutDocument {
  /** With a string in place of each value. */
  readonly text: string;
  /** Each as Go's encoder writes it three levels deep: with sorted keys, and four spaces a level. */
  readonly values: readonly Uint8Array[];
  /** Of the whole document. */
  readonly lineFeeds: number;
}

const words = "kept value ";
const indent = " ".repeat(12);
const level = 3;
const encoder = new TextEncoder();
const itemEnd = encoder.encode("\n        }");

/** The JSON string that stands for the value with this index. */
function standIn(index: number): string {
  return `"${words}${index}"`;
}

/**
 * Takes out of the object in these bytes the values that {@link withKeptValues} can put back; undefined when there are
 * none. The bytes are valid JSON when the remaining text is.
 */
export function cutKeptValues(bytes: Uint8Array, { list, type }: KeptValues): CutDocument | undefined {
  const head = encoder.encode(`        {\n${indent}"type": ${JSON.stringify(type)},\n${indent}"value": `);
  const values: Uint8Array[] = [];
  let text = "";
  let lineFeeds = 0;
  let done = 0;
  for (let at = firstItem(bytes, list); at !== -1; at = nextItem(bytes, at)) {
    const begin = at + head.length;
    const found = startsAt(bytes, at, head) ? writtenObject(bytes, begin, level) : undefined;
    if (found === undefined || !startsAt(bytes, found.end, itemEnd)) continue;
    const before = bytes.subarray(done, begin);
    text += decodeLenient(before) + standIn(values.length);
    lineFeeds += countNewlines(before, before.length) + found.lineFeeds;
    values.push(bytes.slice(begin, found.end));
    done = at = found.end;
  }
  if (values.length === 0) return undefined;
  const rest = bytes.subarray(done);
  text += decodeLenient(rest);
  return { text, values, lineFeeds: lineFeeds + countNewlines(rest, rest.length) };
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

/** What stands for a value, with the beginning of its line at the level of the value. */
const standInLine = /\n {12}"value": "kept value ([0-9]+)"/g;

/**
 * A text with four spaces a level as UTF-8 in pieces, the values in place of what stands for them. Undefined when one of
 * them is missing, repeated or at another level, or when a string of the text looks like one.
 */
export function withKeptValues(text: string, values: readonly Uint8Array[]): readonly Uint8Array[] | undefined {
  if (text.split(`"${words}`).length !== values.length + 1) return undefined;
  const pieces: Uint8Array[] = [];
  const put = new Set<Uint8Array>();
  let done = 0;
  for (const { index, 0: line, 1: number } of text.matchAll(standInLine)) {
    const value = values[Number(number)];
    if (value === undefined) return undefined;
    const end = index + line.length;
    pieces.push(encoder.encode(text.slice(done, end - standIn(Number(number)).length)), value);
    put.add(value);
    done = end;
  }
  if (put.size !== values.length) return undefined;
  pieces.push(encoder.encode(text.slice(done)));
  return pieces;
}

/** The text of the whole document. */
export function wholeText({ text, values }: CutDocument): string {
  return values.reduce((whole, value, index) => whole.replace(standIn(index), () => decodeLenient(value)), text);
}
