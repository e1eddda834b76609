import type { JsonObject, JsonValue } from "../json.ts";
import type { ByteWindow } from "./byte-window.ts";
import {
  beginsAsJson,
  cutJson,
  cutYaml,
  type DocumentBytes,
  eatLine,
  guessJsonEnd,
  jsonSpace,
  type YamlBytes,
} from "./document-stream.ts";
import { endOfJsonValue, parseJson } from "./json-document.ts";
import { type CutDocument, cutKeptItems, type KeptItems } from "./kept-items.ts";
import { maxDepth, positionAt, StreamError, TextError } from "./problem.ts";
import { countNewlines, decodeLenient, decodeUtf16, decodeUtf8, firstInvalidByte, goUtf8Problem } from "./utf8.ts";
import { type BlockDocument, type KnownItems, readBlockYaml } from "./yaml/yaml-block.ts";
import { readYamlDocument } from "./yaml/yaml-document.ts";

/** A parsed document with its text, from which places can be computed. */
export interface ReadDocument {
  readonly kind: "json" | "yaml";
  readonly text: string;
  /** One-based line of the stream on which the document begins. */
  readonly line: number;
  readonly value: JsonValue;
  readonly lostText: boolean;
  /** Whether some of its items were not read. */
  readonly skipped: boolean;
  /** With the items that stayed bytes; `text` and `value` have others in their place. */
  readonly cut?: CutDocument;
  /** The JSON error of Go's decoder, when the document was parsed as YAML after it failed to parse as JSON. */
  readonly jsonProblem?: string;
}

/** The documents of a stream, one by one. Throws {@link StreamError}. */
export function readStream(
  window: ByteWindow,
  knownItems?: KnownItems,
  keptItems?: KeptItems,
): Generator<ReadDocument> {
  return beginsAsJson(window) ? readJsonStream(window, keptItems) : readYamlStream(window, knownItems);
}

function* readYamlStream(window: ByteWindow, knownItems?: KnownItems): Generator<ReadDocument> {
  for (const cut of cutYaml(window)) {
    const text = textOf(cut);
    const fast = readFast(text, cut, knownItems);
    const { value, lostText } = fast ?? placed(text, cut.line, goOfProblem, () => readYamlDocument(text));
    yield { kind: "yaml", text, line: cut.line, value, lostText, skipped: fast?.skipped === true };
  }
}

/** Also undefined for invalid text: the general reader computes the line that Go reports. */
function readFast(
  text: string,
  bytes: YamlBytes,
  knownItems: KnownItems | undefined,
): (BlockDocument & { readonly lostText: false }) | undefined {
  try {
    const read = readBlockYaml(text, bytes, knownItems);
    return read === undefined ? undefined : { ...read, lostText: false };
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}

function textOf(cut: DocumentBytes): string {
  const text = decodeUtf8(cut.bytes);
  if (text !== undefined) return text;
  const wide = decodeUtf16(cut.bytes);
  if (wide === undefined) throw notUtf8(cut);
  if (wide !== "incomplete") return wide.text;
  const message = "incomplete UTF-16 character";
  throw new StreamError("notUtf8", cut.line, undefined, message, goOfYaml(message));
}

function notUtf8({ bytes, line }: DocumentBytes): StreamError {
  const at = firstInvalidByte(bytes);
  const goText = goOfYaml(goUtf8Problem(bytes, at));
  return new StreamError("notUtf8", line + countNewlines(bytes, at), undefined, "invalid UTF-8", goText);
}

/** A broken JSON stream is parsed as YAML from the last valid value on, unless two or more values were read. */
function* readJsonStream(window: ByteWindow, keptItems?: KeptItems): Generator<ReadDocument> {
  let guesses = true;
  for (let count = 0; ; count++) {
    const space = jsonSpace(window);
    if (space === undefined) return;
    const skipped = window.bytes.slice(window.start, window.start + (count > 1 ? 0 : space));
    window.line += countNewlines(window.bytes.subarray(window.start), space);
    window.start += space;
    let read: ReadDocument | undefined = guesses ? guessJson(window, keptItems) : undefined;
    // After a wrong guess there are no further guesses, because the writer probably formats all objects like that.
    guesses = read !== undefined;
    try {
      read ??= nextJson(window);
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      if (error.kind !== "syntax") throw error;
      if (count > 1) throw new StreamError(error.kind, error.line, error.column, error.message);
      window.putBack(skipped);
      yield* retryAsYaml(window, error);
      return;
    }
    yield read;
  }
}

/** The next object, when its end is where writers usually put it: parsing is faster than searching for brackets. */
function guessJson(window: ByteWindow, keptItems?: KeptItems): ReadDocument | undefined {
  const end = guessJsonEnd(window);
  if (end === undefined) return undefined;
  const { line } = window;
  const bytes = window.bytes.subarray(window.start, end);
  const cut = keptItems === undefined ? undefined : cutKeptItems(bytes, keptItems);
  const text = cut?.text ?? decodeLenient(bytes);
  try {
    let value = JSON.parse(text) as JsonValue;
    const oddity = oddityOf(value, 0);
    if (oddity === "deep") return undefined;
    if (oddity === "longNumber") value = parseJson(text, true);
    window.check(end - window.start);
    window.start = end;
    window.line += cut?.lineFeeds ?? countLines(text);
    const read = { kind: "json", text, line, value, lostText: false, skipped: false } as const;
    return cut === undefined ? read : { ...read, cut };
  } catch (error) {
    // The careful reader reports the error and its place.
    if (error instanceof SyntaxError || error instanceof TextError) return undefined;
    throw error;
  }
}

type Oddity = "deep" | "longNumber" | undefined;

/** What the native parser accepts or gets wrong: excessive nesting, numbers that may be truncated integers. */
function oddityOf(value: JsonValue | undefined, depth: number): Oddity {
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER ? "longNumber" : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= maxDepth) return "deep";
  return isList(value) ? oddityIn(value, depth) : oddityAmong(value, depth);
}

function oddityIn(items: readonly JsonValue[], depth: number): Oddity {
  let found: Oddity;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (typeof item === "string") continue;
    const oddity = oddityOf(item, depth + 1);
    if (oddity === "deep") return oddity;
    found ??= oddity;
  }
  return found;
}

/** A parsed object has own members only; Object.keys for every object would dominate the cost. */
function oddityAmong(object: JsonObject, depth: number): Oddity {
  let found: Oddity;
  for (const key in object) {
    const item = object[key];
    if (typeof item === "string") continue;
    const oddity = oddityOf(item, depth + 1);
    if (oddity === "deep") return oddity;
    found ??= oddity;
  }
  return found;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

function nextJson(window: ByteWindow): ReadDocument {
  const { bytes, line, lineFeeds, longNumbers, closed } = cutJson(window);
  const rest = decodeLenient(bytes);
  const text = closed
    ? rest
    : placed(rest, line, goOfSyntax(window, rest), () => rest.slice(0, endOfJsonValue(rest, 0)));
  const value = placed(text, line, goOfSyntax(window, text), () => parseJson(text, longNumbers));
  const length = closed ? bytes.length : new TextEncoder().encode(text).length;
  window.line += closed ? lineFeeds : countNewlines(bytes, length);
  window.start += length;
  return { kind: "json", text, line, value, lostText: false, skipped: false };
}

function* retryAsYaml(window: ByteWindow, jsonError: StreamError): Generator<ReadDocument> {
  if (!eatLine(window)) throw jsonError;
  const documents = readYamlStream(window);
  let first: IteratorResult<ReadDocument>;
  try {
    first = documents.next();
  } catch (error) {
    throw error instanceof StreamError ? jsonError : error;
  }
  if (first.done === true) throw jsonError;
  yield { ...first.value, jsonProblem: jsonError.goText };
  yield* documents;
}

/** A JSON syntax error as Kubernetes' decoder reports it: with the bytes it has read. */
function goOfSyntax({ passed, start }: ByteWindow, text: string): (error: TextError) => string {
  return ({ message, offset }) => {
    if (message === "unexpected EOF") return message;
    const read = passed + start + new TextEncoder().encode(text.slice(0, offset)).length;
    return `json: offset ${read + 1}: ${message}`;
  };
}

/** Error text of Go's decoder for a problem: YAML is first converted to JSON. */
function goOfProblem({ kind, message, goLine, goMessage = message }: TextError): string {
  const number = kind === "unsupportedValue" ? /^the number ([-+]?)\.(inf|nan) /i.exec(message) : null;
  if (number !== null) {
    const [, sign, name = ""] = number;
    const value = name.toLowerCase() === "nan" ? "NaN" : `${sign === "-" ? "-" : "+"}Inf`;
    return `error converting YAML to JSON: json: unsupported value: ${value}`;
  }
  return goOfYaml(goLine === 0 ? goMessage : `line ${goLine}: ${goMessage}`);
}

function goOfYaml(message: string): string {
  return `error converting YAML to JSON: yaml: ${message}`;
}

/** Runs `read` and converts offsets of its errors to places in the stream. */
function placed<Value>(text: string, line: number, goText: (error: TextError) => string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const position = positionAt(text, error.offset);
    throw new StreamError(error.kind, line + position.line - 1, position.column, error.message, goText(error));
  }
}
