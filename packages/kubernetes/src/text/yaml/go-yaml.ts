import { digitsOf, type JsonObject, type JsonValue } from "../../json.ts";
import { goFloat } from "../../go-float.ts";
import { goJsonNumber } from "../go-number.ts";
import { isTimestamp, resolvePlain } from "../go-scalar.ts";
import { sortedInSteps } from "../../steps.ts";
import { compareNatural, naturalOrder } from "../natural-order.ts";
import { isWide, type LongMember, pieceLength } from "../json-pieces.ts";
import { analyse, needsEscape, shortEscape } from "./yaml-scalar-form.ts";
import { bestWidth, YamlOutput } from "./yaml-output.ts";

/**
 * YAML as sigs.k8s.io/yaml writes it: keys in Go's natural order, lists at the indentation of their key, lines folded
 * after column 80, single quotes for syntax characters, double quotes for ambiguous words. Ends with a newline.
 */
export function writeYaml(value: JsonValue): string {
  const emitter = new Emitter();
  emitter.node(value, -1, "root");
  return emitter.finish();
}

/**
 * The UTF-8 of {@link writeYaml} after a line `---`. Undefined when a text or key may have a letter that YAML's readers refuse or read as
 * another one (U+007F to U+009F, U+FFFE, U+FFFF, a lone surrogate), or a key may be longer than they allow.
 */
export function yamlDocument(value: JsonValue): Uint8Array | undefined {
  const emitter = new Emitter();
  emitter.separator();
  emitter.node(value, -1, "root");
  return emitter.finishPortable();
}

/**
 * The text of {@link writeYaml} in pieces, each made when it is asked for; some are empty. Items of `long`, a last member,
 * are taken one by one.
 */
export function* yamlInPieces(value: JsonObject, long?: LongMember): Generator<string> {
  const emitter = new Emitter();
  if (long === undefined) yield* emitter.pieces(value, -1, "root");
  else yield* emitter.collection(value, long);
  yield emitter.finish();
}

type Context = "root" | "item" | "value" | "key";
const hasBreaks = /[\n\r\u0085\u2028\u2029]/;
/** A line with its line break; either may be empty. */
const lines = /([^\n\r\u0085\u2028\u2029]*)([\n\r\u0085\u2028\u2029]?)/g;
const longestSimpleKey = 128;
/** Length of a key that no YAML reader refuses, in characters. */
const longestPortableKey = 256;
const notPortable = /[\u007f-\u009f\ufffe\uffff]/;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
/** Longer words are texts unless they begin with a digit, a sign or a dot. */
const longestWord = 5;

class Emitter {
  readonly #out = new YamlOutput();
  #portable = true;

  separator(): void {
    this.#out.put("---");
    this.#out.put("\n");
  }

  finish(): string {
    this.#endLine();
    const text = this.#out.takeText();
    this.#out.close();
    return text;
  }

  /** The bytes, unless they have what {@link yamlDocument} refuses. */
  finishPortable(): Uint8Array | undefined {
    this.#endLine();
    const bytes = this.#portable ? this.#out.takeBytes() : undefined;
    this.#out.close();
    return bytes;
  }

  #endLine(): void {
    if (!this.#out.indention || this.#out.column > 0) this.#out.put("\n");
  }

  /** As {@link node}; gives what is written whenever there is enough of it. */
  *pieces(value: JsonValue, indent: number, context: Context): Generator<string> {
    if (!isWide(value)) this.node(value, indent, context);
    else if (isList(value)) {
      const inner = this.#indentOfItems(indent, context);
      for (const item of value) yield* this.#itemInPieces(item, inner);
    } else {
      const inner = deeper(indent);
      const sorting = sortedInSteps(Object.keys(value), compareNatural);
      let step = sorting.next();
      for (; step.done !== true; step = sorting.next()) yield "";
      for (const key of step.value) {
        const held = value[key];
        if (held === undefined) continue;
        this.#key(key, inner);
        yield* this.pieces(held, inner, "value");
      }
    }
    if (this.#out.length >= pieceLength) yield this.#out.takeText();
  }

  /** A mapping at the root with one more member. */
  *collection(value: JsonObject, { name, items }: LongMember): Generator<string> {
    for (const key of [...Object.keys(value), name].sort(compareNatural)) {
      if (key !== name) {
        this.#key(key, 0);
        yield* this.pieces(value[key] ?? null, 0, "value");
        continue;
      }
      this.#key(key, 0);
      let isEmpty = true;
      for (const item of items) {
        isEmpty = false;
        // To make it took time as well.
        if (isWide(item)) yield "";
        yield* this.#itemInPieces(item, 0);
      }
      if (isEmpty) this.#out.indicator("[]", true);
    }
  }

  *#itemInPieces(item: JsonValue, indent: number): Generator<string> {
    this.#dash(indent);
    yield* this.pieces(item, indent, "item");
  }

  /** `indent` is that of the enclosing collection; -1 at the root. */
  node(value: JsonValue, indent: number, context: Context): void {
    if (typeof value !== "object" || value === null) return this.#scalar(value, indent, context);
    const digits = digitsOf(value);
    if (digits !== undefined) return this.#plainWord(numberText(digits));
    if (isList(value)) {
      if (value.length === 0) return this.#out.indicator("[]", true);
      return this.#sequence(value, this.#indentOfItems(indent, context));
    }
    this.#mapping(value, indent);
  }

  #sequence(items: readonly JsonValue[], indent: number): void {
    for (const item of items) {
      this.#dash(indent);
      this.node(item, indent, "item");
    }
  }

  #indentOfItems(indent: number, context: Context): number {
    return context === "value" && !this.#out.indention ? Math.max(indent, 0) : deeper(indent);
  }

  #dash(indent: number): void {
    this.#out.lineAt(indent);
    this.#out.indicator("-", true, true);
  }

  #mapping(object: JsonObject, indent: number): void {
    const keys = naturalOrder(Object.keys(object).filter((key) => object[key] !== undefined));
    if (keys.length === 0) return this.#out.indicator("{}", true);
    const inner = deeper(indent);
    for (const key of keys) {
      this.#key(key, inner);
      this.node(object[key] ?? null, inner, "value");
    }
  }

  #key(key: string, indent: number): void {
    this.#out.lineAt(indent);
    if (isSimpleKey(key)) {
      this.#scalar(key, indent, "key");
      this.#out.indicator(":", false);
    } else {
      if (key.length > longestPortableKey) this.#portable = false;
      this.#out.indicator("?", true, true);
      this.#scalar(key, indent, "item");
      this.#out.lineAt(indent);
      this.#out.indicator(":", true, true);
    }
  }

  #scalar(value: string | number | boolean | null, indent: number, context: Context): void {
    if (value === null) return this.#plainWord("null");
    if (typeof value === "boolean") return this.#plainWord(String(value));
    if (typeof value === "number") {
      const digits = Number.isSafeInteger(value) ? String(value) : numberText(goJsonNumber(value));
      return this.#plainWord(digits);
    }
    if (!this.#usual(value, indent, context)) this.#unusual(value, indent, context);
  }

  /** Writes a text in one pass; false, with nothing written, for one whose letters need {@link #unusual}. */
  #usual(text: string, indent: number, context: Context): boolean {
    const out = this.#out;
    const folds = context !== "key";
    const inner = indent < 0 ? 2 : indent + 2;
    if (text.includes("\n")) return out.literal(text, inner) || out.doubleQuoted(text, inner, folds);
    if (isAmbiguous(text)) return out.doubleQuoted(text, inner, folds);
    return out.line(text, inner, folds, false) || out.line(text, inner, folds, true);
  }

  #unusual(value: string, indent: number, context: Context): void {
    if (notPortable.test(value) || !value.isWellFormed()) this.#portable = false;
    const text = value.toWellFormed();
    const form = analyse(text);
    const folds = context !== "key";
    const inner = indent < 0 ? 2 : indent + 2;
    if (text.includes("\n")) {
      if (form.block) this.#literal(text, inner);
      else this.#doubleQuoted(text, inner, folds);
    } else if (form.single) this.#singleQuoted(text, inner, folds);
    else this.#doubleQuoted(text, inner, folds);
  }

  #plainWord(text: string): void {
    if (!this.#out.whitespace) this.#out.put(" ");
    this.#out.put(text);
    this.#out.whitespace = false;
    this.#out.indention = false;
  }

  #singleQuoted(text: string, indent: number, folds: boolean): void {
    this.#out.indicator("'", true);
    this.#words(text, indent, folds);
    this.#out.indicator("'", false);
    this.#out.whitespace = false;
    this.#out.indention = false;
  }

  /** Writes what is between single quotes: folds at single spaces, doubles quotes. */
  #words(text: string, indent: number, folds: boolean): void {
    let spaces = false;
    let breaks = false;
    const letters = Array.from(text);
    for (const [index, letter] of letters.entries()) {
      if (letter === " ") {
        const isInside = index > 0 && index < letters.length - 1;
        if (folds && !spaces && this.#out.column > bestWidth && isInside && letters[index + 1] !== " ")
          this.#out.lineAt(indent);
        else this.#out.put(" ");
        spaces = true;
      } else if (isBreak(letter)) {
        this.#out.put(letter);
        this.#out.indention = true;
        breaks = true;
      } else {
        if (breaks) this.#out.lineAt(indent);
        this.#out.put(letter === "'" ? "''" : letter);
        this.#out.indention = false;
        spaces = false;
        breaks = false;
      }
    }
  }

  #doubleQuoted(text: string, indent: number, folds: boolean): void {
    this.#out.indicator('"', true);
    let spaces = false;
    const letters = Array.from(text);
    // Go's emitter searches the start of the text for a byte order mark at each character, and so escapes all of them.
    const escapesAll = text.startsWith("\ufeff");
    for (const [index, letter] of letters.entries()) {
      if (escapesAll || needsEscape(letter)) {
        this.#out.put(shortEscape(letter));
        spaces = false;
      } else if (letter === " ") {
        if (folds && !spaces && this.#out.column > bestWidth && index > 0 && index < letters.length - 1) {
          this.#out.lineAt(indent);
          if (letters[index + 1] === " ") this.#out.put("\\");
        } else this.#out.put(" ");
        spaces = true;
      } else {
        this.#out.put(letter);
        spaces = false;
      }
    }
    this.#out.indicator('"', false);
    this.#out.whitespace = false;
    this.#out.indention = false;
  }

  #literal(text: string, indent: number): void {
    this.#out.indicator("|", true);
    const first = text.charAt(0);
    if (first === " " || isBreak(first)) this.#out.indicator("2", false);
    if (!isBreak(text.charAt(text.length - 1))) this.#out.indicator("-", false);
    else if (text.length === 1 || isBreak(text.charAt(text.length - 2))) this.#out.indicator("+", false);
    this.#out.put("\n");
    this.#out.indention = true;
    this.#out.whitespace = true;
    for (const [line = "", own = "", mark = ""] of text.matchAll(lines)) {
      if (line === "") continue;
      if (own !== "") {
        this.#out.lineAt(indent);
        this.#out.put(own);
        this.#out.indention = false;
      }
      if (mark === "") continue;
      this.#out.put(mark);
      this.#out.indention = true;
    }
  }
}

function deeper(indent: number): number {
  return indent < 0 ? 0 : indent + 2;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Whether an unquoted text would be read as something else. */
function isAmbiguous(text: string): boolean {
  const first = text.charCodeAt(0);
  const isNumeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (!isNumeric) return text.length <= longestWord && resolvePlain(text).kind !== "string";
  return resolvePlain(text).kind !== "string" || isTimestamp(text) || base60.test(text);
}

function isBreak(letter: string): boolean {
  return letter === "\n" || letter === "\r" || letter === "\u0085" || letter === "\u2028" || letter === "\u2029";
}

/** The writer parses its JSON as YAML, so a number is a 64-bit integer or Go's shortest float. */
function numberText(json: string): string {
  const scalar = resolvePlain(json);
  if (scalar.kind === "int") return scalar.digits;
  return scalar.kind === "float" ? goFloat(scalar.value, 64) : json;
}

function isSimpleKey(key: string): boolean {
  // A character has at most three bytes in UTF-8 for each of its units.
  if (key.length * 3 <= longestSimpleKey && !hasBreaks.test(key)) return true;
  return !/[\n\r\u0085\u2028\u2029]/.test(key) && new TextEncoder().encode(key).length <= longestSimpleKey;
}
