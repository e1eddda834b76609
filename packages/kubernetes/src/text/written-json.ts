import { endOfJsonString } from "./go-json.ts";

/**
 * A JSON text with the ends of all lists and objects: computed once, so that reading takes linear time at any depth.
 */
class Source {
  readonly text: string;
  #ends: Int32Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Offset after the value that begins at `at`. */
  endOf(at: number): number {
    const first = this.text.charAt(at);
    if (first === '"') return endOfJsonString(this.text, at);
    if (first === "{" || first === "[") return (this.#ends ??= endsOfBrackets(this.text))[at] ?? this.text.length;
    return skip(word, this.text, at);
  }
}

/** For the offset of each opening bracket the offset after the closing one. */
function endsOfBrackets(text: string): Int32Array {
  const ends = new Int32Array(text.length);
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '"') at = endOfJsonString(text, at) - 1;
    else if (letter === "{" || letter === "[") open.push(at);
    else if (letter === "}" || letter === "]") ends[open.pop() ?? 0] = at + 1;
  }
  return ends;
}

const word = /[^\s,\]}]*/y;
const blanks = /\s*/y;
const separators = /[\s,]*/y;
const colon = /\s*:\s*/y;

/** Offset after the match of `form` at `at`. */
function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
}

/** A value of a JSON text, parsed lazily. The text must be valid JSON. */
export class WrittenJson {
  readonly #source: Source;
  readonly #start: number;
  readonly #end: number;

  private constructor(source: Source, start: number) {
    this.#source = source;
    this.#start = start;
    this.#end = source.endOf(start);
  }

  static of(text: string): WrittenJson {
    return new WrittenJson(new Source(text), skip(blanks, text, 0));
  }

  /** The source text without surrounding white space. */
  get text(): string {
    return this.#source.text.slice(this.#start, this.#end);
  }

  get isNull(): boolean {
    return this.#source.text.startsWith("null", this.#start);
  }

  get form(): "object" | "list" | "scalar" {
    const first = this.#source.text.charAt(this.#start);
    if (first === "{") return "object";
    return first === "[" ? "list" : "scalar";
  }

  /** All members, including repeated names; undefined when it is not an object. */
  members(): [key: string, value: WrittenJson][] | undefined {
    return this.form === "object" ? [...this.eachMember()] : undefined;
  }

  /** Undefined when it is not a list. */
  items(): WrittenJson[] | undefined {
    return this.form === "list" ? [...this.eachItem()] : undefined;
  }

  /** The members of an object one by one, for callers that yield between them. */
  *eachMember(): Generator<[key: string, value: WrittenJson], undefined> {
    const { text } = this.#source;
    for (let at = skip(separators, text, this.#start + 1); text.charAt(at) === '"';) {
      const keyEnd = endOfJsonString(text, at);
      const value = new WrittenJson(this.#source, skip(colon, text, keyEnd));
      yield [JSON.parse(text.slice(at, keyEnd)) as string, value];
      at = skip(separators, text, value.#end);
    }
  }

  /** The items of a list one by one. */
  *eachItem(): Generator<WrittenJson, undefined> {
    const { text } = this.#source;
    for (let at = skip(separators, text, this.#start + 1); at < this.#end - 1;) {
      const item = new WrittenJson(this.#source, at);
      yield item;
      at = skip(separators, text, item.#end);
    }
  }
}
