import { goQuote } from "../../go-quote.ts";
import { type CelValue, fault } from "../cel-value.ts";
import { formatTemplate } from "./format-template.ts";
import { list, text, texts } from "./functions-standard.ts";
import { type Overload, overload } from "../overload.ts";
import { compilePattern } from "../pattern.ts";

/** Positions are counted in code points. */
function runes(value: CelValue): readonly string[] {
  return typeof value === "string" ? Array.from(value) : [];
}

function charAt(value: CelValue, at: CelValue): CelValue {
  const characters = runes(value);
  const index = Number(at);
  if (index < 0 || index > characters.length) return fault(`index out of range: ${index}`);
  return characters[index] ?? "";
}

function indexOf(value: CelValue, wanted: CelValue, offset: CelValue = 0n): CelValue {
  const characters = runes(value);
  const needle = runes(wanted);
  const from = Number(offset);
  if (needle.length === 0) return BigInt(from);
  if (from < 0) return fault(`index out of range: ${from}`);
  // An offset beyond the end is not an error: nothing is found.
  for (let i = from; i + needle.length <= characters.length; i++) {
    if (needle.every((character, j) => characters[i + j] === character)) return BigInt(i);
  }
  return -1n;
}

function lastIndexOf(value: CelValue, wanted: CelValue, offset?: CelValue): CelValue {
  const characters = runes(value);
  const needle = runes(wanted);
  const from = offset === undefined ? characters.length - 1 : Number(offset);
  if (needle.length === 0) return BigInt(offset === undefined ? characters.length : from);
  if (from < 0 && offset !== undefined) return fault(`index out of range: ${from}`);
  if (offset !== undefined && from >= characters.length) return -1n;
  for (let i = Math.min(from, characters.length - needle.length); i >= 0; i--) {
    if (needle.every((character, j) => characters[i + j] === character)) return BigInt(i);
  }
  return -1n;
}

function substring(value: CelValue, start: CelValue, end?: CelValue): CelValue {
  const characters = runes(value);
  const from = Number(start);
  const to = end === undefined ? characters.length : Number(end);
  if (end !== undefined && from > to) return fault(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0 || from > characters.length) return fault(`index out of range: ${from}`);
  if (to < 0 || to > characters.length) return fault(`index out of range: ${to}`);
  return characters.slice(from, to).join("");
}

function replace(value: CelValue, old: CelValue, wanted: CelValue, limit?: CelValue): CelValue {
  if (typeof value !== "string" || typeof old !== "string" || typeof wanted !== "string")
    return fault("no such overload");
  const most = limit === undefined || Number(limit) < 0 ? Infinity : Number(limit);
  const parts = old === "" ? ["", ...Array.from(value), ""] : value.split(old);
  if (parts.length - 1 <= most) return parts.join(wanted);
  return `${parts.slice(0, most + 1).join(wanted)}${old}${parts.slice(most + 1).join(old)}`;
}

function split(value: CelValue, separator: CelValue, limit?: CelValue): CelValue {
  if (typeof value !== "string" || typeof separator !== "string") return fault("no such overload");
  const most = limit === undefined ? -1 : Number(limit);
  if (most === 0) return [];
  const parts = separator === "" ? Array.from(value) : value.split(separator);
  if (most < 0 || parts.length <= most) return parts;
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function lowerAscii(value: string): string {
  return value.replace(/[A-Z]/g, (character) => character.toLowerCase());
}

function upperAscii(value: string): string {
  return value.replace(/[a-z]/g, (character) => character.toUpperCase());
}

function join(items: readonly CelValue[], separator: string): CelValue {
  const parts = items.filter((item) => typeof item === "string");
  return parts.length < items.length ? fault("join: invalid input") : parts.join(separator);
}

function find(subject: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  return compiled.ok ? (compiled.value.find(subject) ?? "") : fault(`Illegal regex: ${compiled.problem}`);
}

function findAll(subject: CelValue, pattern: CelValue, limit?: CelValue): CelValue {
  if (typeof subject !== "string" || typeof pattern !== "string") return fault("no such overload");
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return fault(`Illegal regex: ${compiled.problem}`);
  const most = limit === undefined || Number(limit) < 0 ? undefined : Number(limit);
  return compiled.value.findAll(subject, most);
}

export const stringFunctions: readonly Overload[] = [
  overload("string.charAt(int): string", charAt),
  overload("string.indexOf(string): int", (a, b) => indexOf(a, b)),
  overload("string.indexOf(string, int): int", indexOf),
  overload("string.lastIndexOf(string): int", (a, b) => lastIndexOf(a, b)),
  overload("string.lastIndexOf(string, int): int", lastIndexOf),
  overload("string.lowerAscii(): string", text(lowerAscii)),
  overload("string.upperAscii(): string", text(upperAscii)),
  overload("string.replace(string, string): string", (a, b, c) => replace(a, b, c)),
  overload("string.replace(string, string, int): string", replace),
  overload("string.split(string): list<string>", (a, b) => split(a, b)),
  overload("string.split(string, int): list<string>", split),
  overload("string.substring(int): string", (a, b) => substring(a, b)),
  overload("string.substring(int, int): string", substring),
  overload(
    "string.trim(): string",
    text((value) => value.trim()),
  ),
  overload(
    "list<string>.join(): string",
    list((items) => join(items, "")),
  ),
  overload("list<string>.join(string): string", (items, separator) =>
    Array.isArray(items) && typeof separator === "string" ? join(items, separator) : fault("no such overload"),
  ),
  overload("string.format(list<dyn>): string", (template, values) =>
    typeof template === "string" && Array.isArray(values)
      ? formatTemplate(template, values)
      : fault("no such overload"),
  ),
  overload("strings/quote(string): string", text(goQuote)),
  overload("string.find(string): string", texts(find)),
  overload("string.findAll(string): list<string>", (a, b) => findAll(a, b)),
  overload("string.findAll(string, int): list<string>", findAll),
];
