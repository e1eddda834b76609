import { endOfJsonString } from "./go-json.ts";

/** A JSON text and where each of its lists and objects ends: found once for all, so that reading is linear however deep it is. */
class Source {
  readonly text: string;
  #ends: Int32Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Offset behind the value that begins at `at`. */
  endOf(at: number): number {
    const first = this.text.charAt(at);
    if (first === '"') return endOfJsonString(this.text, at);
    if (first === "{" || first === "[") return (this.#ends ??= endsOfBrackets(this.text))[at] ?? this.text.length;
    return skip(word, this.text, at);
  }
}

/** By the offset of an opening bracket, the offset behind the one that closes it. */
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

/** Offset behind what the form matches at `at`. */
function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
}

/** A value of a JSON text, read no further than somebody asks. The text must be one that a parser accepts. */
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

  /** As it is written, without blanks around it. */
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

  /** Its members, all of those that bear one name; undefined when it is no object. */
  members(): [key: string, value: WrittenJson][] | undefined {
    return this.form === "object" ? [...this.eachMember()] : undefined;
  }

  /** Undefined when it is no list. */
  items(): WrittenJson[] | undefined {
    return this.form === "list" ? [...this.eachItem()] : undefined;
  }

  /** The members of an object one by one, for readers that pause between them. */
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
