import { isJsonObject, type JsonValue } from "../../json.ts";
import { parseJson } from "../../text/json-document.ts";
import { jsonItems, jsonMembers } from "../../text/json-members.ts";
import { setMember } from "../../text/members.ts";

/** Nesting beyond this is refused: every later step walks the document recursively. */
const maxDepth = 1000;

export interface JsonScan {
  /** Paths of keys that stand twice in one object, in document order: `data.a`, `spec.list[0].b`. */
  readonly duplicates: readonly string[];
  readonly tooDeep: boolean;
}

/** What a scan tells beside that; paths as in {@link JsonScan}. */
export interface JsonVisitor {
  /** A key, with its offset; `again` when it stood in the same object before. */
  key?(path: string, offset: number, again: boolean): void;
  /** A number as it is written. */
  number?(path: string, literal: string): void;
}

interface Frame {
  readonly keys: Set<string> | undefined;
  label: string;
  index: number;
}

const numberLiteral = /-?[0-9][0-9.eE+-]*/y;

/** One pass over a text that `JSON.parse` accepts, for what that function does not tell. */
export function scanJson(text: string, visitor: JsonVisitor = {}): JsonScan {
  const duplicates: string[] = [];
  const frames: Frame[] = [];
  let expectKey = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    switch (code) {
      case 0x22: {
        const end = endOfString(text, at);
        const frame = frames.at(-1);
        if (expectKey && frame?.keys !== undefined) {
          const raw = text.slice(at, end + 1);
          const key = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
          frame.label = key;
          const again = frame.keys.has(key);
          if (again) duplicates.push(pathOf(frames));
          visitor.key?.(pathOf(frames), at, again);
          frame.keys.add(key);
          expectKey = false;
        }
        at = end;
        break;
      }
      case 0x7b:
        frames.push({ keys: new Set(), label: "", index: 0 });
        expectKey = true;
        if (frames.length > maxDepth) return { duplicates, tooDeep: true };
        break;
      case 0x5b:
        frames.push({ keys: undefined, label: "", index: 0 });
        expectKey = false;
        if (frames.length > maxDepth) return { duplicates, tooDeep: true };
        break;
      case 0x7d:
      case 0x5d:
        frames.pop();
        expectKey = false;
        break;
      case 0x2c: {
        const frame = frames.at(-1);
        if (frame === undefined) break;
        frame.index++;
        expectKey = frame.keys !== undefined;
        break;
      }
      default:
        if (visitor.number === undefined || (code !== 0x2d && (code < 0x30 || code > 0x39))) break;
        numberLiteral.lastIndex = at;
        const literal = numberLiteral.exec(text)?.[0] ?? "";
        visitor.number(pathOf(frames), literal);
        at += Math.max(0, literal.length - 1);
    }
  }
  return { duplicates, tooDeep: false };
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

function pathOf(frames: readonly Readonly<Frame>[]): string {
  let path = "";
  for (const { keys, label, index } of frames)
    if (keys === undefined) path += `[${index}]`;
    else path += path === "" ? label : `.${label}`;
  return path;
}

/** Offsets of all keys by path, as a decoder comes to them; of a repeated one the first and the last. */
export interface KeyPlaces {
  readonly first: ReadonlyMap<string, number>;
  readonly last: ReadonlyMap<string, number>;
}

export function keyPlaces(text: string): KeyPlaces {
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  scanJson(text, {
    key: (path, offset) => {
      if (!first.has(path)) first.set(path, offset);
      last.set(path, offset);
    },
  });
  return { first, last };
}

const oddNumber = /[0-9][.eE]|-0|[0-9]{16}/;

/** Numbers that are not written as plain small integers, by path: a decoder of integers reads the digits. */
export function oddNumbers(text: string): ReadonlyMap<string, string> {
  const literals = new Map<string, string>();
  if (oddNumber.test(text))
    scanJson(text, {
      number: (path, literal) => {
        if (oddNumber.test(literal)) literals.set(path, literal);
      },
    });
  return literals;
}

/** The value of a text as Go's decoder of types reads it: of objects that bear one name the later adds to the earlier. */
export function mergedJson(text: string): JsonValue {
  const first = text.trimStart().charAt(0);
  if (first === "[") return jsonItems(text).map(mergedJson);
  if (first !== "{") return parseJson(text);
  const object: Record<string, JsonValue> = {};
  for (const [key, held] of jsonMembers(text))
    setMember(object, key, added(Object.hasOwn(object, key) ? object[key] : undefined, mergedJson(held)));
  return object;
}

/** How often the key that stands most often in one object stands there, anywhere in the text. */
function mostAlike(text: string): number {
  const first = text.trimStart().charAt(0);
  const counts = new Map<string, number>();
  const below: number[] = [1];
  if (first === "[") below.push(...jsonItems(text).map(mostAlike));
  if (first === "{")
    for (const [key, held] of jsonMembers(text)) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      below.push(mostAlike(held));
    }
  return Math.max(...counts.values(), ...below);
}

/** The text with the one of several members of one name that stands at this place among them, or the last. */
function readingAt(text: string, place: number): JsonValue {
  const first = text.trimStart().charAt(0);
  if (first === "[") return jsonItems(text).map((item) => readingAt(item, place));
  if (first !== "{") return parseJson(text);
  const seen = new Map<string, number>();
  const object: Record<string, JsonValue> = {};
  for (const [key, held] of jsonMembers(text)) {
    const at = seen.get(key) ?? 0;
    seen.set(key, at + 1);
    if (at <= place) setMember(object, key, readingAt(held, place));
  }
  return object;
}

/** The text with the members that later ones of the same name take the place of: Go reads those too, and refuses what does not fit. */
export function earlierReadings(text: string): readonly JsonValue[] {
  return Array.from({ length: Math.min(mostAlike(text), mostReadings) - 1 }, (_, place) => readingAt(text, place));
}

/** Nobody repeats a member more often by mistake. */
const mostReadings = 8;

function added(earlier: JsonValue | undefined, later: JsonValue): JsonValue {
  if (!isJsonObject(earlier) || !isJsonObject(later)) return later;
  const object: Record<string, JsonValue> = {};
  for (const part of [earlier, later])
    for (const [key, held] of Object.entries(part))
      if (held !== undefined) setMember(object, key, added(Object.hasOwn(object, key) ? object[key] : undefined, held));
  return object;
}
