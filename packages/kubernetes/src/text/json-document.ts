import type { JsonValue } from "../json.ts";
import { exactInteger } from "./go-number.ts";
import { escapePointer, setMember } from "./members.ts";
import { maxDepth, TextError } from "./problem.ts";
import type { PlaceRecorder } from "./value-places.ts";

/** Digits or exponents that a double may not represent; also in strings, where icons and digests have them. */
const longDigits = /[0-9]{16}|[0-9][eE]\+?[0-9]{3}/;
/** The same where a number may stand. Takes twice as long, so it decides about the few texts that have such digits. */
const longNumber = /(?:^|[:,[\s])-?(?:[0-9]{16}|[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3})/;
/** An escape that may be a lone surrogate; Go's decoder replaces it with U+FFFD. */
const halfPair = /\\u[dD][89a-fA-F]/;
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => JsonValue;

const mayHaveLongNumbers = (text: string): boolean => longDigits.test(text) && longNumber.test(text);

/**
 * Parses one JSON text. Integers outside the safe range are kept exactly; `longNumbers`: whether there may be any.
 * Throws {@link TextError} with the offset.
 */
export function parseJson(text: string, longNumbers = mayHaveLongNumbers(text)): JsonValue {
  try {
    if (halfPair.test(text)) return wellFormed(JSON.parse(text) as JsonValue);
    if (!longNumbers) return JSON.parse(text) as JsonValue;
    return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) => {
      if (typeof value !== "number" || source === undefined || Number.isSafeInteger(value)) return value;
      if (/^-?[0-9]+$/.test(source)) return exactInteger(source);
      if (Number.isFinite(value)) return value;
      throw new TextError("unsupportedValue", text.indexOf(source), `cannot unmarshal number ${source} into a double`);
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { offset, message } = diagnose(text);
    throw new TextError("syntax", offset, message);
  }
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(wellFormed);
  const object: Record<string, JsonValue> = {};
  for (const [key, held] of Object.entries(value))
    if (held !== undefined) setMember(object, key.toWellFormed(), wellFormed(held));
  return object;
}

/** Position and cause of a syntax error, in our own words; V8's differ between versions and lack positions. */
function diagnose(text: string): { readonly offset: number; readonly message: string } {
  const scanner = new JsonScanner(text);
  try {
    scanner.value("");
    scanner.end();
  } catch (error) {
    if (error instanceof TextError) return { offset: error.offset, message: error.message };
    throw error;
  }
  return { offset: 0, message: "invalid JSON" };
}

/** Records the places of all values of a valid JSON text. */
export function recordJsonPlaces(text: string, recorder: PlaceRecorder): void {
  new JsonScanner(text, recorder).value("");
}

/** Offset after the JSON value that begins at `start`. Throws {@link TextError}. */
export function endOfJsonValue(text: string, start: number): number {
  return new JsonScanner(text, undefined, start).skip();
}

const numberForm = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
/** The parts of a number at which it may break, with the description in the error of Go's scanner. */
const numberParts: readonly (readonly [form: RegExp, context: string])[] = [
  [/-(?![0-9])/y, "in numeric literal"],
  [/-?(?:0|[1-9][0-9]*)\.(?![0-9])/y, "after decimal point in numeric literal"],
  [/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[eE](?:[-+](?![0-9])|(?![-+0-9]))/y, "in exponent of numeric literal"],
];
const plainString = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const plainPart = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const structural = /["{}[\]]/g;

class JsonScanner {
  readonly #text: string;
  readonly #recorder: PlaceRecorder | undefined;
  #at: number;
  #depth = 0;

  constructor(text: string, recorder?: PlaceRecorder, start = 0) {
    this.#text = text;
    this.#recorder = recorder;
    this.#at = start;
  }

  /** Skips one object or array by its brackets only; the parser checks the content. */
  skip(): number {
    const first = this.#text.charAt(this.#at);
    if (first !== "{" && first !== "[") {
      this.value("");
      return this.#at;
    }
    let depth = 0;
    structural.lastIndex = this.#at;
    for (let match = structural.exec(this.#text); match !== null; match = structural.exec(this.#text)) {
      const mark = match[0];
      if (mark === '"') {
        structural.lastIndex = this.#endOfString(match.index);
      } else if (mark === "{" || mark === "[") {
        if (++depth > maxDepth) throw new TextError("tooDeep", match.index, "exceeded max depth");
      } else if (--depth <= 0) return match.index + 1;
    }
    return this.#neverEnds();
  }

  /** Brackets that do not close: a character that breaks the syntax before the end is the cause. */
  #neverEnds(): never {
    try {
      this.value("");
    } catch (error) {
      if (error instanceof TextError && error.offset < this.#text.length) throw error;
    }
    throw new TextError("syntax", this.#text.length, "unexpected EOF");
  }

  #endOfString(start: number): number {
    for (let quote = this.#text.indexOf('"', start + 1); quote !== -1; quote = this.#text.indexOf('"', quote + 1)) {
      let slashes = 0;
      while (this.#text.charCodeAt(quote - 1 - slashes) === 92) slashes++;
      if (slashes % 2 === 0) return quote + 1;
    }
    return this.#neverEnds();
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
  }

  value(pointer: string): void {
    this.#space();
    this.#recorder?.value(pointer, this.#at);
    const first = this.#text.charAt(this.#at);
    if (first === "{") this.#object(pointer);
    else if (first === "[") this.#array(pointer);
    else if (first === '"') this.#string();
    else if (first === "-" || (first >= "0" && first <= "9")) this.#number();
    else this.#literal(first);
  }

  #object(pointer: string): void {
    this.#enter();
    const seen = this.#recorder === undefined ? undefined : new Set<string>();
    this.#space();
    if (this.#take("}")) return this.#leave();
    for (;;) {
      this.#space();
      const offset = this.#at;
      if (this.#text.charAt(this.#at) !== '"') this.#fail("looking for beginning of object key string");
      const key = this.#string();
      const place = `${pointer}/${escapePointer(key)}`;
      if (seen?.has(key)) this.#recorder?.duplicate(place, offset);
      seen?.add(key);
      this.#recorder?.key(place, offset);
      this.#space();
      if (!this.#take(":")) this.#fail("after object key");
      this.value(place);
      this.#space();
      if (this.#take("}")) return this.#leave();
      if (!this.#take(",")) this.#fail("after object key:value pair");
    }
  }

  #array(pointer: string): void {
    this.#enter();
    this.#space();
    if (this.#take("]")) return this.#leave();
    for (let index = 0; ; index++) {
      this.value(`${pointer}/${index}`);
      this.#space();
      if (this.#take("]")) return this.#leave();
      if (!this.#take(",")) this.#fail("after array element");
    }
  }

  #enter(): void {
    this.#at++;
    if (++this.#depth > maxDepth) throw new TextError("tooDeep", this.#at, "exceeded max depth");
  }

  #leave(): void {
    this.#depth--;
  }

  #string(): string {
    const found = this.#match(plainString);
    if (found !== undefined) return JSON.parse(found) as string;
    this.#at++;
    this.#match(plainPart);
    if (this.#at >= this.#text.length) throw new TextError("syntax", this.#at, "unexpected end of JSON input");
    if (!this.#take("\\")) return this.#fail("in string literal");
    if (!this.#take("u")) return this.#fail("in string escape code");
    this.#match(/[0-9a-fA-F]*/y);
    return this.#fail("in \\u hexadecimal character escape");
  }

  #number(): void {
    for (const [form, context] of numberParts) if (this.#match(form) !== undefined) this.#fail(context);
    this.#match(numberForm);
  }

  #match(form: RegExp): string | undefined {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #literal(first: string): void {
    const word = ["true", "false", "null"].find((known) => known.startsWith(first));
    if (first === "" || word === undefined) return this.#fail("looking for beginning of value");
    for (const letter of word) {
      const found = this.#text.charAt(this.#at);
      if (found !== letter) this.#fail(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
  }

  #take(letter: string): boolean {
    if (this.#text.charAt(this.#at) !== letter) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 32 && unit !== 10 && unit !== 13 && unit !== 9) return;
      this.#at++;
    }
  }

  #fail(context: string): never {
    // Go's scanner appends a space to the text, which terminates incomplete literals and numbers.
    const letter = this.#text.charAt(this.#at) || (/^in |literal$/.test(context) ? " " : "");
    if (letter === "") throw new TextError("syntax", this.#at, "unexpected end of JSON input");
    throw new TextError("syntax", this.#at, `invalid character ${quotedByte(letter)} ${context}`);
  }
}

/** The first byte of a character as Go's scanner quotes it. */
function quotedByte(letter: string): string {
  if (letter === "'") return "'\\''";
  const code = letter.charCodeAt(0);
  const byte =
    code < 0x80
      ? code
      : code < 0x800
        ? 0xc0 | (code >> 6)
        : code < 0xd800 || code > 0xdfff
          ? 0xe0 | (code >> 12)
          : 0xf0;
  const named = new Map([
    [7, "a"],
    [8, "b"],
    [9, "t"],
    [10, "n"],
    [11, "v"],
    [12, "f"],
    [13, "r"],
    [0x5c, "\\"],
  ]).get(byte);
  if (named !== undefined) return `'\\${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, "0")}'`;
  return `'${String.fromCharCode(byte)}'`;
}
