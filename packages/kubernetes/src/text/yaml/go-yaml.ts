import { digitsOf, type JsonObject, type JsonValue } from "../../json.ts";
import { goFloat } from "../../go-float.ts";
import { goJsonNumber } from "../go-number.ts";
import { isTimestamp, resolvePlain } from "../go-scalar.ts";
import { sortedInSteps } from "../../steps.ts";
import { compareNatural } from "../natural-order.ts";
import { isWide, type LongMember, pieceLength } from "../json-pieces.ts";
import { analyse, needsEscape, shortEscape } from "./yaml-scalar-form.ts";

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
const bestWidth = 80;
const hasBreaks = /[\n\r\u0085\u2028\u2029]/;
/** A line with its line break; either may be empty. */
const lines = /([^\n\r\u0085\u2028\u2029]*)([\n\r\u0085\u2028\u2029]?)/g;
const longestSimpleKey = 128;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Emitter state in libyaml's terms: `whitespace` and `indention` describe the last output. */
class Emitter {
  #out: string[] = [];
  /** Characters of `#out`. */
  #length = 0;
  #column = 0;
  #whitespace = true;
  #indention = true;

  finish(): string {
    if (!this.#indention || this.#column > 0) this.#put("\n");
    return this.#take();
  }

  #take(): string {
    const text = this.#out.join("");
    this.#out = [];
    this.#length = 0;
    return text;
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
    if (this.#length >= pieceLength) yield this.#take();
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
      if (isEmpty) this.#indicator("[]", true);
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
      if (value.length === 0) return this.#indicator("[]", true);
      return this.#sequence(value, this.#indentOfItems(indent, context));
    }
    const members = Object.entries(value).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
    if (members.length === 0) return this.#indicator("{}", true);
    this.#mapping(members, deeper(indent));
  }

  #sequence(items: readonly JsonValue[], indent: number): void {
    for (const item of items) {
      this.#dash(indent);
      this.node(item, indent, "item");
    }
  }

  #indentOfItems(indent: number, context: Context): number {
    return context === "value" && !this.#indention ? Math.max(indent, 0) : deeper(indent);
  }

  #dash(indent: number): void {
    this.#lineAt(indent);
    this.#indicator("-", true, true);
  }

  #mapping(members: [string, JsonValue][], indent: number): void {
    for (const [key, value] of members.sort(([a], [b]) => compareNatural(a, b))) {
      this.#key(key, indent);
      this.node(value, indent, "value");
    }
  }

  #key(key: string, indent: number): void {
    this.#lineAt(indent);
    if (isSimpleKey(key)) {
      this.#scalar(key, indent, "key");
      this.#indicator(":", false);
    } else {
      this.#indicator("?", true, true);
      this.#scalar(key, indent, "item");
      this.#lineAt(indent);
      this.#indicator(":", true, true);
    }
  }

  #scalar(value: string | number | boolean | null, indent: number, context: Context): void {
    if (value === null) return this.#plainWord("null");
    if (typeof value === "boolean") return this.#plainWord(String(value));
    if (typeof value === "number") return this.#plainWord(numberText(goJsonNumber(value)));
    const text = value.toWellFormed();
    const form = analyse(text);
    const folds = context !== "key";
    const inner = indent < 0 ? 2 : indent + 2;
    const resolved = resolvePlain(text);
    const ambiguous = resolved.kind !== "string" || isTimestamp(text) || base60.test(text);
    if (text.includes("\n")) {
      if (form.block && folds) this.#literal(text, inner);
      else this.#doubleQuoted(text, inner, folds);
    } else if (ambiguous) this.#doubleQuoted(text, inner, folds);
    else if (form.plain) this.#plain(text, inner, folds);
    else if (form.single) this.#singleQuoted(text, inner, folds);
    else this.#doubleQuoted(text, inner, folds);
  }

  #plainWord(text: string): void {
    this.#plain(text, 0, false);
  }

  #plain(text: string, indent: number, folds: boolean): void {
    if (!this.#whitespace) this.#put(" ");
    this.#words(text, indent, folds, false);
    this.#whitespace = false;
    this.#indention = false;
  }

  #singleQuoted(text: string, indent: number, folds: boolean): void {
    this.#indicator("'", true);
    this.#words(text, indent, folds, true);
    this.#indicator("'", false);
    this.#whitespace = false;
    this.#indention = false;
  }

  /** Writes plain and single-quoted scalars: folds at single spaces, doubles line breaks. */
  #words(text: string, indent: number, folds: boolean, quoted: boolean): void {
    // Nothing is folded before column 80, so most scalars are one piece.
    const whole = quoted ? text.replaceAll("'", "''") : text;
    if (!hasBreaks.test(text) && (!folds || this.#column + whole.length <= bestWidth)) return this.#put(whole);
    let spaces = false;
    let breaks = false;
    const letters = Array.from(text);
    for (const [index, letter] of letters.entries()) {
      if (letter === " ") {
        const inside = !quoted || (index > 0 && index < letters.length - 1);
        if (folds && !spaces && this.#column > bestWidth && inside && letters[index + 1] !== " ") this.#lineAt(indent);
        else this.#put(" ");
        spaces = true;
      } else if (isBreak(letter)) {
        if (!breaks && letter === "\n") this.#put("\n");
        this.#put(letter);
        this.#indention = true;
        breaks = true;
      } else {
        if (breaks) this.#lineAt(indent);
        this.#put(quoted && letter === "'" ? "''" : letter);
        this.#indention = false;
        spaces = false;
        breaks = false;
      }
    }
  }

  #doubleQuoted(text: string, indent: number, folds: boolean): void {
    this.#indicator('"', true);
    let spaces = false;
    const letters = Array.from(text);
    // Go's emitter searches the start of the text for a byte order mark at each character, and so escapes all of them.
    const escapesAll = text.startsWith("\ufeff");
    for (const [index, letter] of letters.entries()) {
      if (escapesAll || needsEscape(letter)) {
        this.#put(shortEscape(letter));
        spaces = false;
      } else if (letter === " ") {
        if (folds && !spaces && this.#column > bestWidth && index > 0 && index < letters.length - 1) {
          this.#lineAt(indent);
          if (letters[index + 1] === " ") this.#put("\\");
        } else this.#put(" ");
        spaces = true;
      } else {
        this.#put(letter);
        spaces = false;
      }
    }
    this.#indicator('"', false);
    this.#whitespace = false;
    this.#indention = false;
  }

  #literal(text: string, indent: number): void {
    this.#indicator("|", true);
    const first = text.charAt(0);
    if (first === " " || isBreak(first)) this.#indicator("2", false);
    if (!isBreak(text.charAt(text.length - 1))) this.#indicator("-", false);
    else if (text.length === 1 || isBreak(text.charAt(text.length - 2))) this.#indicator("+", false);
    this.#put("\n");
    this.#indention = true;
    this.#whitespace = true;
    for (const [line = "", own = "", mark = ""] of text.matchAll(lines)) {
      if (line === "") continue;
      if (own !== "") {
        this.#lineAt(indent);
        this.#put(own);
        this.#indention = false;
      }
      if (mark === "") continue;
      this.#put(mark);
      this.#indention = true;
    }
  }

  #indicator(mark: string, needsBlank: boolean, isIndention = false): void {
    if (needsBlank && !this.#whitespace) this.#put(" ");
    this.#put(mark);
    this.#whitespace = false;
    this.#indention = this.#indention && isIndention;
  }

  #lineAt(indent: number): void {
    if (!this.#indention || this.#column > indent || (this.#column === indent && !this.#whitespace)) this.#put("\n");
    if (this.#column < indent) {
      this.#out.push(" ".repeat(indent - this.#column));
      this.#length += indent - this.#column;
      this.#column = indent;
    }
    this.#whitespace = true;
    this.#indention = true;
  }

  #put(text: string): void {
    this.#out.push(text);
    this.#length += text.length;
    if (text.length === 1) this.#column = isBreak(text) ? 0 : this.#column + 1;
    else this.#column += astral.test(text) ? Array.from(text).length : text.length;
  }
}

const astral = /[\ud800-\udbff]/;

function deeper(indent: number): number {
  return indent < 0 ? 0 : indent + 2;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
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
  return !/[\n\r\u0085\u2028\u2029]/.test(key) && new TextEncoder().encode(key).length <= longestSimpleKey;
}
