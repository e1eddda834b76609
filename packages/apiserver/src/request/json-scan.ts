import type { Steps } from "@purser/kubernetes/steps";
import { maxDepth, roomForPaths } from "@purser/kubernetes/text/problem";

export interface JsonScan {
  /** Paths of keys that occur twice in one object, in document order and each once: `data.a`, `spec.list[0].b`. */
  readonly duplicates: readonly string[];
  /** The bracket that exceeds the maximum depth. */
  readonly tooDeep?: "{" | "[";
}

/** Callbacks of a scan; paths as in {@link JsonScan}. */
export interface JsonVisitor {
  /** A key; `again` when the same object had it before. Return true to skip everything below it. */
  key?(path: string, again: boolean): boolean;
  /** A number as it is written; `path` returns undefined below a skipped key and once the paths take too much room. */
  number?(path: () => string | undefined, literal: string): void;
}

interface Frame {
  readonly above: Frame | undefined;
  readonly keys: Set<string> | undefined;
  /** Path of the object or list, computed on first use. */
  path: string | undefined;
  label: string;
  index: number;
  /** The visitor gets nothing from below the current member. */
  isMuted: boolean;
}

const numberLiteral = /-?[0-9][0-9.eE+-]*/y;

/** Characters between two pauses: some milliseconds. */
const pieceLength = 64 * 1024;

/** Scans a text that `JSON.parse` accepts for what that function does not report: duplicate keys, depth, numbers. */
export function* scanJson(text: string, visitor: JsonVisitor = {}): Steps<JsonScan> {
  let pauseAt = pieceLength;
  const duplicates = new Set<string>();
  let frame: Frame | undefined;
  let depth = 0;
  let room = roomForPaths;
  let expectKey = false;
  const path = (): string | undefined => {
    if (frame?.isMuted === true || room < 0) return undefined;
    const place = placeIn(frame);
    room -= place.length;
    return room < 0 ? undefined : place;
  };
  const enter = (keys: Set<string> | undefined): void => {
    const isMuted = frame?.isMuted === true;
    frame = { above: frame, keys, path: undefined, label: "", index: 0, isMuted };
    expectKey = keys !== undefined;
    depth++;
  };
  for (let at = 0; at < text.length; at++) {
    if (at > pauseAt) {
      pauseAt = at + pieceLength;
      yield;
    }
    const code = text.charCodeAt(at);
    switch (code) {
      case 0x22: {
        const end = endOfString(text, at);
        if (expectKey && frame?.keys !== undefined) {
          const raw = text.slice(at, end + 1);
          const key = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
          frame.label = key;
          frame.isMuted = frame.above?.isMuted === true;
          const again = frame.keys.has(key);
          const place = again || visitor.key !== undefined ? path() : undefined;
          if (place !== undefined && again) duplicates.add(place);
          if (place !== undefined && visitor.key?.(place, again) === true) frame.isMuted = true;
          frame.keys.add(key);
          expectKey = false;
        }
        at = end;
        break;
      }
      case 0x7b:
        enter(new Set());
        if (depth > maxDepth) return { duplicates: [...duplicates], tooDeep: "{" };
        break;
      case 0x5b:
        enter(undefined);
        if (depth > maxDepth) return { duplicates: [...duplicates], tooDeep: "[" };
        break;
      case 0x7d:
      case 0x5d:
        frame = frame?.above;
        depth--;
        expectKey = false;
        break;
      case 0x2c: {
        if (frame === undefined) break;
        frame.index++;
        expectKey = frame.keys !== undefined;
        break;
      }
      default: {
        if (visitor.number === undefined || (code !== 0x2d && (code < 0x30 || code > 0x39))) break;
        numberLiteral.lastIndex = at;
        const literal = numberLiteral.exec(text)?.[0] ?? "";
        visitor.number(path, literal);
        at += Math.max(0, literal.length - 1);
      }
    }
  }
  return { duplicates: [...duplicates] };
}

/** Path of what is being read in an object or list. */
function placeIn(frame: Frame | undefined): string {
  if (frame === undefined) return "";
  frame.path ??= placeIn(frame.above);
  if (frame.keys === undefined) return `${frame.path}[${frame.index}]`;
  return frame.path === "" ? frame.label : `${frame.path}.${frame.label}`;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

const oddNumber = /[0-9][.eE]|-0|[0-9]{16}/;

/** Numbers that are not written as plain small integers, by path: a decoder of integers reads the digits. */
export function* oddNumbers(text: string): Steps<ReadonlyMap<string, string>> {
  const literals = new Map<string, string>();
  if (oddNumber.test(text))
    yield* scanJson(text, {
      number: (path, literal) => {
        const place = oddNumber.test(literal) ? path() : undefined;
        if (place !== undefined) literals.set(place, literal);
      },
    });
  return literals;
}
