import type { JsonValue } from "../json.ts";
import type { Place } from "../place.ts";
import { done, failed, type Result } from "../result.ts";
import { countLines, type DocumentText, looksLikeJson, nextJson, splitYaml } from "./document-stream.ts";
import { parseJson, recordJsonPlaces } from "./json-document.ts";
import { positionAt, TextError, type TextProblem } from "./problem.ts";
import { ValuePlaces } from "./value-places.ts";
import { readYamlDocument } from "./yaml-document.ts";

export { canonicalJson, doubleJson, endOfJsonString, goJson, goJsonIndented, indentJson } from "./go-json.ts";
export { looksLikeJson } from "./document-stream.ts";
export { writeYaml } from "./go-yaml.ts";
export { parseJson } from "./json-document.ts";
export { compareBytes, escapePointer, sortedKeys } from "./members.ts";
export type { TextProblem } from "./problem.ts";

export interface ReadOptions {
  /** Named in places. */
  readonly file?: string;
  /** Documents without content (comments only, between two separators) come as null instead of being left out. */
  readonly keepEmpty?: boolean;
}

/** One document of a YAML or JSON stream, with the places of all its values. */
export interface PlacedDocument {
  readonly value: JsonValue;
  /** The grammar it was read with; JSON behind a broken JSON stream is read as YAML. */
  readonly format: "json" | "yaml";
  /** Where the document begins. */
  readonly place: Place;
  /** The place of the value at an RFC 6901 pointer; of its nearest parent when it is absent. Reads the text again. */
  locate(pointer: string): Place;
  /** Places of keys that stand again behind their first occurrence; the last one counted. Reads the text again. */
  duplicateKeys(): readonly Place[];
  /** True when text behind the end of the document was dropped, as Go's decoder drops it. */
  readonly lostText: boolean;
}

/**
 * All documents of a YAML or JSON stream, read as Kubernetes' and OLM's decoders read it. The first problem ends it.
 * Integers that a double cannot hold are kept exactly (see go-number.ts).
 */
export function readDocuments(text: string, options: ReadOptions = {}): Result<readonly PlacedDocument[], TextProblem> {
  const documents: PlacedDocument[] = [];
  for (const document of documentsOf(text, options)) {
    if (!document.ok) return document;
    documents.push(document.value);
  }
  return done(documents);
}

/** As {@link readDocuments}, one document at a time; a failed one is the last. */
export function* documentsOf(
  text: string,
  options: ReadOptions = {},
): Generator<Result<PlacedDocument, TextProblem>, void, void> {
  let index = 0;
  const base = (line: number): Place => ({
    ...(options.file === undefined ? {} : { file: options.file }),
    document: index,
    line,
  });
  try {
    for (const read of looksLikeJson(text) ? readJsonStream(text) : readYamlStream(text, 0, 1)) {
      if (read.value !== null || options.keepEmpty === true) yield done(placedDocument(read, base(read.source.line)));
      index++;
    }
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const { line, column } = positionAt(text, error.offset);
    yield failed({ kind: error.kind, place: { ...base(line), column }, message: error.message });
  }
}

/** The first document of a text; null when there is none. */
export function readYaml(text: string, file?: string): Result<JsonValue, TextProblem> {
  for (const document of documentsOf(text, file === undefined ? {} : { file }))
    return document.ok ? done(document.value.value) : document;
  return done(null);
}

interface ReadDocument {
  readonly source: DocumentText;
  readonly value: JsonValue;
  readonly lostText: boolean;
}

function* readYamlStream(stream: string, from: number, firstLine: number): Generator<ReadDocument> {
  for (const source of splitYaml(stream, from, firstLine)) {
    const { value, lostText } = atOffset(source.offset, () => readYamlDocument(source.text));
    yield { source, value, lostText };
  }
}

/** A broken JSON stream is tried again as YAML from the last good value on, unless two or more values were read. */
function* readJsonStream(stream: string): Generator<ReadDocument> {
  let at = 0;
  let line = 1;
  for (let count = 0; ; count++) {
    let read: ReadDocument;
    try {
      const span = nextJson(stream, at);
      if (span === undefined) return;
      line += countLines(stream, at, span.start);
      const source = { kind: "json", text: stream.slice(span.start, span.end), line, offset: span.start } as const;
      read = { source, value: atOffset(span.start, () => parseJson(source.text)), lostText: false };
      line += countLines(stream, span.start, span.end);
      at = span.end;
    } catch (error) {
      if (!(error instanceof TextError) || count > 1) throw error;
      yield* retryAsYaml(stream, at, line, error);
      return;
    }
    yield read;
  }
}

function* retryAsYaml(stream: string, at: number, line: number, jsonError: TextError): Generator<ReadDocument> {
  const rest = /^[\t\n\r ]*/.exec(stream.slice(at))?.[0].length ?? 0;
  const documents = readYamlStream(stream, at + rest, line + countLines(stream, at, at + rest));
  let first: IteratorResult<ReadDocument>;
  try {
    first = documents.next();
  } catch (error) {
    throw error instanceof TextError ? jsonError : error;
  }
  if (first.done === true) throw jsonError;
  yield first.value;
  yield* documents;
}

function atOffset<Value>(offset: number, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof TextError ? new TextError(error.kind, error.offset + offset, error.message) : error;
  }
}

function placedDocument({ source, value, lostText }: ReadDocument, place: Place): PlacedDocument {
  const scan = (): ValuePlaces => {
    const places = new ValuePlaces();
    if (source.kind === "json") recordJsonPlaces(source.text, places);
    else readYamlDocument(source.text, places);
    return places;
  };
  return {
    value,
    format: source.kind,
    place,
    lostText,
    locate: (pointer) => scan().find(pointer, source.text, place),
    duplicateKeys: () => scan().duplicates(source.text, place),
  };
}
