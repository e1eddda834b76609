import type { Place } from "../place.ts";

/** A YAML or JSON parse error. */
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
  /** One sentence without the place; Go's error text where there is one. */
  readonly message: string;
  /** The whole error of Go's catalog decoder, with its prefix and line numbers; absent where Go reports no error. */
  readonly goText?: string;
}

/** Limit of nesting, so that code that walks the value cannot overflow the stack. */
export const maxDepth = 1000;

/**
 * Limit of the total length of paths that one decoding or refusal reports. Beyond it members are not reported
 * individually: below a key of a megabyte a hundred thousand paths would not fit into memory.
 */
export const roomForPaths = 16 * 1024 * 1024;

/** Thrown only inside the readers; public functions convert it to a {@link TextProblem}. */
export class TextError extends Error {
  override readonly name = "TextError";
  readonly kind: TextProblem["kind"];
  /** Zero-based offset in the reader's text, in UTF-16 units. */
  readonly offset: number;
  /** The line number that Go's YAML decoder reports; 0 when it reports none. */
  readonly goLine: number;

  /** Go's error text where `message` is clearer. */
  readonly goMessage: string | undefined;

  constructor(kind: TextProblem["kind"], offset: number, message: string, goLine = 0, goMessage?: string) {
    super(message);
    this.goMessage = goMessage;
    this.kind = kind;
    this.offset = offset;
    this.goLine = goLine;
  }
}

/** Thrown only inside the readers, where the place in the whole stream is known. */
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
