import type { JsonValue } from "../json.ts";
import { keepAddedKeys } from "../known-keys.ts";
import { Strides, type Steps } from "../steps.ts";
import { endOfJsonString } from "./go-json.ts";
import { parseJson } from "./json-document.ts";
import { setMember } from "./members.ts";
import { maxDepth, TextError } from "./problem.ts";

/** Characters that V8's parser reads at once: a few milliseconds. */
const pieceLength = 64 * 1024;

const blanks = /[ \n\r\t]*/y;
const word = /[^\s,\]}]*/y;

/** Offset behind what the form matches at `at`. */
function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
}

/**
 * {@link parseJson} with pauses: lists and objects whose text is long are put together of pieces. What it throws is the same,
 * but for offsets; text that is nested too deeply is refused before it is read.
 */
export function* parseJsonInSteps(text: string): Steps<JsonValue> {
  const start = skip(blanks, text, 0);
  if (text.length <= pieceLength || !isBracket(text, start)) return parseJson(text);
  const reader = new LongReader(text, yield* endsOfBrackets(text));
  const value = yield* reader.value(start);
  reader.end();
  return value;
}

function isBracket(text: string, at: number): boolean {
  const letter = text.charCodeAt(at);
  return letter === 0x7b || letter === 0x5b;
}

function* endsOfBrackets(text: string): Steps<Int32Array> {
  const ends = new Int32Array(text.length);
  const open: number[] = [];
  const strides = new Strides();
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === 0x22) at = endOfJsonString(text, at) - 1;
    else if (letter === 0x7b || letter === 0x5b) {
      open.push(at);
      if (open.length > maxDepth) throw tooDeep(text, at);
    } else if (letter === 0x7d || letter === 0x5d) {
      const opened = open.pop();
      if (opened !== undefined) ends[opened] = at + 1;
    } else continue;
    if (strides.isDue()) yield;
  }
  return ends;
}

/** Faults that stand before the bracket are not looked for when it is far behind. */
function tooDeep(text: string, at: number): TextError {
  if (at < pieceLength) {
    const before = problemIn(text.slice(0, at + 1));
    if (before !== undefined && before.kind !== "tooDeep") return before;
  }
  return new TextError("tooDeep", at, `invalid character '${text.charAt(at)}' exceeded max depth`);
}

function problemIn(text: string): TextError | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (problem) {
    if (problem instanceof TextError) return problem;
    throw problem;
  }
}

/** A list or object that is being put together of pieces of its text. */
type Container =
  | { readonly form: "list"; readonly value: JsonValue[] }
  | {
      readonly form: "object";
      readonly value: Record<string, JsonValue>;
      /** In the order in which they were added. */
      readonly keys: string[];
    };

function addMember({ value, keys }: Extract<Container, { form: "object" }>, key: string, held: JsonValue): void {
  if (!Object.hasOwn(value, key)) keys.push(key);
  setMember(value, key, held);
}

class LongReader {
  readonly #text: string;
  /** By the offset of an opening bracket, the offset behind the closing one; 0 where none does. */
  readonly #ends: Int32Array;
  readonly #strides = new Strides();
  /** How the containers begin that are being read, outermost first: enough to say what is wrong with what follows. */
  readonly #opened: string[] = [];
  /** What follows has not been read yet; some of it may have been looked at. */
  #read = 0;

  constructor(text: string, ends: Int32Array) {
    this.#text = text;
    this.#ends = ends;
  }

  /** The list or object that begins at `start`. */
  *value(start: number): Steps<JsonValue> {
    const end = this.#ends[start] ?? 0;
    if (end !== 0 && end - start <= pieceLength) {
      const value = this.#parse(start, end, "", "");
      this.#read = end;
      return value;
    }
    const text = this.#text;
    const isList = text.charCodeAt(start) === 0x5b;
    const container: Container = isList ? { form: "list", value: [] } : { form: "object", value: {}, keys: [] };
    const depth = this.#opened.push(isList ? "[" : "{") - 1;
    const last = end === 0 ? text.length : end - 1;
    this.#read = start + 1;
    /** From here on members have been looked at and not been read, and where the last of them ends. */
    let pending = skip(blanks, text, start + 1);
    let pendingEnd = pending;
    for (let at = pending; at < last;) {
      const valueAt = isList ? at : this.#valueOfMember(at);
      const valueEnd = this.#endOfValue(valueAt);
      if (valueEnd > last) this.#fail();
      if (isBracket(text, valueAt) && valueEnd - valueAt > pieceLength) {
        yield* this.#add(container, pending, pendingEnd);
        const key = isList ? "" : (this.#parse(at, endOfJsonString(text, at), "", "") as string);
        this.#opened[depth] = isList ? "[" : '{"":';
        const value = yield* this.value(valueAt);
        this.#opened[depth] = isList ? '[""' : '{"":""';
        if (container.form === "list") container.value.push(value);
        else addMember(container, key, value);
        pending = valueEnd;
        this.#read = valueEnd;
      }
      pendingEnd = valueEnd;
      at = skip(blanks, text, valueEnd);
      if (at >= last) break;
      if (text.charCodeAt(at) !== 0x2c) this.#fail();
      at = skip(blanks, text, at + 1);
      if (at >= last) this.#fail();
      if (pending === valueEnd || pendingEnd - pending > pieceLength) {
        yield* this.#add(container, pending, pendingEnd);
        this.#opened[depth] = isList ? '["",' : '{"":"",';
        pending = at;
        pendingEnd = at;
        this.#read = at;
      }
    }
    yield* this.#add(container, pending, pendingEnd);
    if (end === 0 || text.charCodeAt(last) !== (isList ? 0x5d : 0x7d)) this.#fail();
    this.#opened.pop();
    this.#read = end;
    if (container.form === "object") keepAddedKeys(container.value, container.keys);
    return container.value;
  }

  /** Nothing may follow the value. */
  end(): void {
    if (skip(blanks, this.#text, this.#read) < this.#text.length) {
      this.#opened.push("{}");
      this.#fail();
    }
  }

  /** Where the value of the member stands that begins at `at`. */
  #valueOfMember(at: number): number {
    const text = this.#text;
    if (text.charCodeAt(at) !== 0x22) this.#fail();
    const colon = skip(blanks, text, endOfJsonString(text, at));
    if (text.charCodeAt(colon) !== 0x3a) this.#fail();
    return skip(blanks, text, colon + 1);
  }

  #endOfValue(at: number): number {
    const text = this.#text;
    if (text.charCodeAt(at) === 0x22) return endOfJsonString(text, at);
    if (!isBracket(text, at)) return Math.max(at + 1, skip(word, text, at));
    const end = this.#ends[at] ?? 0;
    return end === 0 ? text.length : end;
  }

  /** Reads members or items. */
  *#add(container: Container, from: number, to: number): Steps<void> {
    if (to <= from) return;
    if (container.form === "list") {
      for (const item of this.#parse(from, to, "[", "]") as readonly JsonValue[]) container.value.push(item);
      if (this.#strides.isDue((to - from) / 8)) yield;
      return;
    }
    const piece = this.#parse(from, to, "{", "}") as Record<string, JsonValue>;
    if (this.#strides.isDue((to - from) / 16)) yield;
    for (const key of Object.keys(piece)) {
      addMember(container, key, piece[key] ?? null);
      if (this.#strides.isDue()) yield;
    }
  }

  #parse(from: number, to: number, before: string, behind: string): JsonValue {
    try {
      return parseJson(`${before}${this.#text.slice(from, to)}${behind}`);
    } catch (problem) {
      if (problem instanceof TextError) this.#fail();
      throw problem;
    }
  }

  /** Something is wrong with what has not been read yet: reads as far as that, for the words. */
  #fail(): never {
    const problem = problemIn(`${this.#opened.join("")}${this.#text.slice(this.#read)}`);
    throw problem ?? new TextError("syntax", this.#read, "invalid JSON");
  }
}
