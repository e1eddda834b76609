import { digitsOf, type JsonObject, type JsonValue } from "../json.ts";
import { goJsonNumber } from "./go-number.ts";
import { compareBytes, setMember } from "./members.ts";

const inHtml = /[^ !#-%'-;=?-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]/;
const inPlain = /[^ !#-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]/;

/** Go's `json.Marshal`: keys sorted, no spaces, `<`, `>` and `&` escaped. */
export function goJson(value: JsonValue): string {
  return compact(value, { html: true, doubles: false });
}

/** Go's encoder without HTML escaping and without the final newline: the form used for digests. */
export function canonicalJson(value: JsonValue): string {
  return compact(value, plain);
}

/** As {@link canonicalJson}, with every number as a double, as Go decodes untyped JSON. */
export function doubleJson(value: JsonValue): string {
  return compact(value, { html: false, doubles: true });
}

/** Go's indented encoder without HTML escaping; keys in the order given when `sorted` is false. No final newline. */
export function goJsonIndented(value: JsonValue, indent: string, sorted = true): string {
  return indented(value, indent, "\n", sorted);
}

/**
 * Offset after the JSON string whose opening quote is at `at`. A search instead of a regular expression, because
 * strings may have megabytes.
 */
export function endOfJsonString(text: string, at: number): number {
  for (let quoteAt = text.indexOf('"', at + 1); quoteAt !== -1; quoteAt = text.indexOf('"', quoteAt + 1)) {
    let slashes = quoteAt;
    while (text.charCodeAt(slashes - 1) === 92) slashes--;
    if ((quoteAt - slashes) % 2 === 0) return quoteAt + 1;
  }
  return text.length;
}

const word = /[^"{}[\],:\s]+/y;

/** Go's `json.Indent` of a JSON text: order of keys and spelling of values are kept. */
export function indentJson(text: string, indent: string): string {
  const out: string[] = [];
  let newline = "\n";
  let opened = false;
  for (let at = 0; at < text.length;) {
    const letter = text.charAt(at);
    let end = at + 1;
    if (letter === '"') end = endOfJsonString(text, at);
    else if (!"{}[],:".includes(letter)) {
      word.lastIndex = at;
      end += Math.max(0, (word.exec(text)?.[0].length ?? 0) - 1);
      if (/\s/.test(letter)) {
        at = end;
        continue;
      }
    }
    const closes = letter === "}" || letter === "]";
    if (closes) newline = newline.slice(0, newline.length - indent.length);
    if (opened ? !closes : closes) out.push(newline);
    opened = letter === "{" || letter === "[";
    if (opened) newline += indent;
    out.push(text.slice(at, end));
    if (letter === ",") out.push(newline);
    else if (letter === ":") out.push(" ");
    at = end;
  }
  return out.join("");
}

interface Style {
  readonly html: boolean;
  readonly doubles: boolean;
}
const plain: Style = { html: false, doubles: false };

function compact(value: JsonValue, style: Style): string {
  const form = nativeForm(value, style.doubles);
  const text = form === undefined ? undefined : nativeText(form, "");
  if (text === undefined) return slowText(value, style);
  return style.html ? htmlSafeJson(text) : text;
}

/**
 * Encodes a result of {@link nativeDoubles} with V8's encoder, which is several times as fast; undefined where its
 * output would differ from Go's. An indent of "" means one line.
 */
export function nativeText(form: JsonValue, indent: string): string | undefined {
  const text = JSON.stringify(form, undefined, indent);
  // May be a lone surrogate, or a text that looks like one.
  if (text.includes("\\ud")) return undefined;
  return text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** A value for which V8's encoder prints what {@link doubleJson} prints for `value`; undefined when there is none. */
export function nativeDoubles(value: JsonValue): JsonValue | undefined {
  return nativeForm(value, true);
}

/** As {@link nativeDoubles} for what {@link canonicalJson} prints: integers keep all their digits. */
export function nativeOrder(value: JsonValue): JsonValue | undefined {
  return nativeForm(value, false);
}

const escapes: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };

/** Escapes the characters that Go's default encoder escapes; in JSON text they occur in strings only. */
export function htmlSafeJson(json: string): string {
  return json.replaceAll(/[<>&]/g, (character) => escapes[character] ?? character);
}

/**
 * The value itself when its keys are in byte order, otherwise a sorted copy; undefined when an object cannot have that
 * order.
 */
function nativeForm(value: JsonValue, doubles: boolean): JsonValue | undefined {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined;
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return nativeList(value, doubles);
  const digits = digitsOf(value);
  if (digits === undefined) return nativeObject(value, doubles);
  return doubles ? nativeForm(Number(digits), doubles) : value;
}

function nativeList(items: readonly JsonValue[], doubles: boolean): readonly JsonValue[] | undefined {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (item === undefined || typeof item === "string") continue;
    const form = nativeForm(item, doubles);
    if (form === undefined) return undefined;
    if (form !== item) (copy ??= [...items])[index] = form;
  }
  return copy ?? items;
}

function nativeObject(object: JsonObject, doubles: boolean): JsonObject | undefined {
  const keys = Object.keys(object);
  let isSorted = true;
  for (let index = 1; index < keys.length && isSorted; index++)
    isSorted = compareBytes(keys[index - 1] ?? "", keys[index] ?? "") < 0;
  if (!isSorted) keys.sort(compareBytes);
  let copy: Record<string, JsonValue> | undefined = isSorted ? undefined : {};
  for (const [index, key] of keys.entries()) {
    const item = object[key];
    if (item === undefined) continue;
    const form = typeof item === "string" ? item : nativeForm(item, doubles);
    if (form === undefined) return undefined;
    if (form !== item && copy === undefined) {
      copy = {};
      for (const before of keys.slice(0, index)) {
        const kept = object[before];
        if (kept !== undefined) setMember(copy, before, kept);
      }
    }
    if (copy !== undefined) setMember(copy, key, form);
  }
  if (copy === undefined) return object;
  // Integer-like keys always come first in JavaScript objects.
  return isSorted || Object.keys(copy).every((key, index) => key === keys[index]) ? copy : undefined;
}

function slowText(value: JsonValue, style: Style): string {
  if (value === null) return "null";
  if (typeof value === "string") return quote(value, style.html);
  if (typeof value === "number") return goJsonNumber(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (isList(value)) return `[${value.map((item) => slowText(item, style)).join(",")}]`;
  const digits = digitsOf(value);
  if (digits !== undefined) return style.doubles ? goJsonNumber(Number(digits)) : digits;
  const members = membersOf(value, true).map(([key, item]) => `${quote(key, style.html)}:${slowText(item, style)}`);
  return `{${members.join(",")}}`;
}

function indented(value: JsonValue, indent: string, newline: string, sorted: boolean): string {
  if (typeof value !== "object" || value === null || digitsOf(value) !== undefined) return slowText(value, plain);
  const inner = newline + indent;
  if (isList(value)) {
    if (value.length === 0) return "[]";
    return `[${inner}${value.map((item) => indented(item, indent, inner, sorted)).join(`,${inner}`)}${newline}]`;
  }
  const members = membersOf(value, sorted);
  if (members.length === 0) return "{}";
  const lines = members.map(([key, item]) => `${quote(key, false)}: ${indented(item, indent, inner, sorted)}`);
  return `{${inner}${lines.join(`,${inner}`)}${newline}}`;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function membersOf(object: JsonObject, sorted: boolean): [string, JsonValue][] {
  const members: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(object)) if (value !== undefined) members.push([key, value]);
  return sorted ? members.sort(([a], [b]) => compareBytes(a, b)) : members;
}

/** A JSON string as Go encodes it: U+2028 and U+2029 escaped, lone surrogates as U+FFFD. */
function quote(text: string, html: boolean): string {
  if (!(html ? inHtml : inPlain).test(text)) return `"${text}"`;
  const out = JSON.stringify(text.toWellFormed()).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return html ? htmlSafeJson(out) : out;
}
