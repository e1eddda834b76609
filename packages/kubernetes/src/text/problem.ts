import type { Place } from "../place.ts";

/** Why a text could not be read as YAML or JSON. */
export interface TextProblem {
  readonly kind:
    | "syntax"
    | "duplicateKey"
    | "aliasBomb"
    | "tooDeep"
    | "unsupportedKey"
    | "unsupportedValue"
    | "notUtf8"
    | "tooLarge";
  readonly place: Place;
  /** One sentence without the place; the words of Go's decoder where it has some. */
  readonly message: string;
  /** All that Go's decoder of catalogs says, with its own prefix and count of lines; absent where it would say nothing. */
  readonly goText?: string;
}

/** Deeper nesting than this is refused, so that no reader of the value can overflow its stack. */
export const maxDepth = 1000;

/**
 * Characters that the paths which one reading or refusal tells may have in all. Beyond them it says nothing of single members:
 * below a key of a megabyte the paths of a hundred thousand others would not fit into memory.
 */
export const roomForPaths = 16 * 1024 * 1024;

/** Thrown inside the readers only; every public function turns it into a {@link TextProblem}. */
export class TextError extends Error {
  override readonly name = "TextError";
  readonly kind: TextProblem["kind"];
  /** Zero-based offset in the text that was handed to the reader, in UTF-16 units. */
  readonly offset: number;
  /** The line that Go's decoder of YAML names, by its own count; 0 where it names none. */
  readonly goLine: number;

  /** Go's words where `message` is clearer. */
  readonly goMessage: string | undefined;

  constructor(kind: TextProblem["kind"], offset: number, message: string, goLine = 0, goMessage?: string) {
    super(message);
    this.goMessage = goMessage;
    this.kind = kind;
    this.offset = offset;
    this.goLine = goLine;
  }
}

/** Thrown inside the readers only, where the place in the whole stream is known. */
export class StreamError extends Error {
  override readonly name = "StreamError";
  readonly kind: TextProblem["kind"];
  /** One-based. */
  readonly line: number;
  readonly column: number | undefined;
  readonly goText: string;

  constructor(kind: TextProblem["kind"], line: number, column: number | undefined, message: string, goText = message) {
    super(message);
    this.goText = goText;
    this.kind = kind;
    this.line = line;
    this.column = column;
  }
}

/** One-based line and column of an offset. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < offset; next = text.indexOf("\n", next + 1)) {
    line++;
    start = next + 1;
  }
  return { line, column: offset - start + 1 };
}
