import { goQuote } from "../../go-quote.ts";
import { type CelValue, fault } from "../cel-value.ts";
import { formatTemplate } from "./format-template.ts";
import { type Overload, overload } from "../overload.ts";
import { compilePattern } from "../pattern.ts";

/** Positions are counted in code points. */
function runes(value: string): readonly string[] {
  return Array.from(value);
}

function charAt(value: string, at: bigint): CelValue {
  const characters = runes(value);
  const index = Number(at);
  if (index < 0 || index > characters.length) return fault(`index out of range: ${index}`);
  return characters[index] ?? "";
}

function indexOf(value: string, wanted: string, offset: bigint): CelValue {
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

function lastIndexOf(value: string, wanted: string, offset?: bigint): CelValue {
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

function substring(value: string, start: bigint, end?: bigint): CelValue {
  const characters = runes(value);
  const from = Number(start);
  const to = end === undefined ? characters.length : Number(end);
  if (end !== undefined && from > to) return fault(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0 || from > characters.length) return fault(`index out of range: ${from}`);
  if (to < 0 || to > characters.length) return fault(`index out of range: ${to}`);
  return characters.slice(from, to).join("");
}

function replace(value: string, old: string, wanted: string, limit?: bigint): CelValue {
  const most = limit === undefined || Number(limit) < 0 ? Infinity : Number(limit);
  const parts = old === "" ? ["", ...Array.from(value), ""] : value.split(old);
  if (parts.length - 1 <= most) return parts.join(wanted);
  return `${parts.slice(0, most + 1).join(wanted)}${old}${parts.slice(most + 1).join(old)}`;
}

function split(value: string, separator: string, limit?: bigint): CelValue {
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

function find(subject: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  return compiled.ok ? (compiled.value.find(subject) ?? "") : fault(`Illegal regex: ${compiled.problem}`);
}

function findAll(subject: string, pattern: string, limit?: bigint): CelValue {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return fault(`Illegal regex: ${compiled.problem}`);
  const most = limit === undefined || Number(limit) < 0 ? undefined : Number(limit);
  return compiled.value.findAll(subject, most);
}

export const stringFunctions: readonly Overload[] = [
  overload("string.charAt(int): string", charAt),
  overload("string.indexOf(string): int", (a: string, b: string) => indexOf(a, b, 0n)),
  overload("string.indexOf(string, int): int", indexOf),
  overload("string.lastIndexOf(string): int", (a: string, b: string) => lastIndexOf(a, b)),
  overload("string.lastIndexOf(string, int): int", lastIndexOf),
  overload("string.lowerAscii(): string", lowerAscii),
  overload("string.upperAscii(): string", upperAscii),
  overload("string.replace(string, string): string", (a: string, b: string, c: string) => replace(a, b, c)),
  overload("string.replace(string, string, int): string", replace),
  overload("string.split(string): list<string>", (a: string, b: string) => split(a, b)),
  overload("string.split(string, int): list<string>", split),
  overload("string.substring(int): string", (a: string, b: bigint) => substring(a, b)),
  overload("string.substring(int, int): string", substring),
  overload("string.trim(): string", (value: string) => value.trim()),
  overload("list<string>.join(): string", (items: readonly string[]) => items.join("")),
  overload("list<string>.join(string): string", (items: readonly string[], separator: string) => items.join(separator)),
  overload("string.format(list<dyn>): string", formatTemplate),
  overload("strings/quote(string): string", goQuote),
  overload("string.find(string): string", find),
  overload("string.findAll(string): list<string>", (a: string, b: string) => findAll(a, b)),
  overload("string.findAll(string, int): list<string>", findAll),
];
