import { isJsonObject, type JsonValue, member } from "../json.ts";
import type { Place } from "../place.ts";
import { done, failed, type Result } from "../result.ts";
import { ByteWindow } from "./byte-window.ts";
import { type ReadDocument, readStream } from "./document-reader.ts";
import { parseJson, recordJsonPlaces } from "./json-document.ts";
import { type CutDocument, type KeptItems, wholeText } from "./kept-items.ts";
import { StreamError, type TextProblem } from "./problem.ts";
import { ValuePlaces } from "./value-places.ts";
import type { KnownItems } from "./yaml/yaml-block.ts";
import { readYamlDocument } from "./yaml/yaml-document.ts";

export {
  canonicalJson,
  doubleJson,
  endOfJsonString,
  goJson,
  goJsonIndented,
  htmlSafeJson,
  indentJson,
  nativeDoubles,
  nativeOrder,
  nativeText,
} from "./go-json.ts";
export { plainWords } from "./go-scalar.ts";
export { exactCopy, exactJson } from "./exact-json.ts";
export { looksLikeJson } from "./document-stream.ts";
export { writeYaml, yamlDocument } from "./yaml/go-yaml.ts";
export { parseJson } from "./json-document.ts";
export { type KeptItems, withKeptItems } from "./kept-items.ts";
export type { KnownItems } from "./yaml/yaml-block.ts";
export { compareBytes, escapePointer, setMember, sortedKeys } from "./members.ts";
export type { TextProblem } from "./problem.ts";

/** Larger documents are refused. */
const largestDocument = 64 * 2 ** 20;

export interface ReadOptions {
  /** File name for places. */
  readonly file?: string;
  /**
   * Documents without content (only comments, or nothing between two separators) are returned as null instead of being
   * skipped.
   */
  readonly keepEmpty?: boolean;
  /** Limit in bytes of UTF-8; {@link largestDocument} when absent. */
  readonly largestDocument?: number;
  /** Which items of sequences in YAML need not be read, and what stands for them. */
  readonly knownItems?: KnownItems;
  /** Which items in JSON stay bytes where they are written as Go writes them. */
  readonly keptItems?: KeptItems;
}

/** One document of a YAML or JSON stream, with the places of all its values. */
export interface PlacedDocument {
  readonly value: JsonValue;
  /** The grammar of the document; after a JSON error the rest of a stream is YAML. */
  readonly format: "json" | "yaml";
  /** Where the document begins. */
  readonly place: Place;
  /** The place of the value at an RFC 6901 pointer, or of its nearest existing parent. Parses the text again. */
  locate(pointer: string): Place;
  /** As {@link locate} for many pointers; parses the text once. */
  locateAll(pointers: readonly string[]): readonly Place[];
  /** Places of repeated keys after their first occurrence; the last one is effective. Parses the text again. */
  duplicateKeys(): readonly Place[];
  /** True when text after the end of the document was ignored, as in Go's decoder. */
  readonly lostText: boolean;
  /**
   * Go's JSON error, when the document was parsed as YAML because of it; the error to report where the document does
   * not fit its type.
   */
  readonly jsonProblem?: string;
  /** Items that stayed bytes, for {@link withKeptItems}, which others stand for. Absent when there are none. */
  readonly kept?: readonly Uint8Array[];
  /** Reads the document with all items; absent unless some were skipped or kept. */
  readonly whole?: () => PlacedDocument;
}

/**
 * All documents of a YAML or JSON stream, parsed like Kubernetes' and OLM's decoders. The first problem ends it.
 * Integers that a double cannot represent are kept exactly (see go-number.ts).
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
export function documentsOf(text: string, options?: ReadOptions): Generator<Result<PlacedDocument, TextProblem>, void> {
  return documentsOfBytes([new TextEncoder().encode(text)], options);
}

/**
 * As {@link documentsOf} for a stream of UTF-8, with one document in memory at a time. Invalid UTF-8 is replaced in
 * JSON and refused in YAML, as in Go.
 */
export function* documentsOfBytes(
  chunks: Iterable<Uint8Array>,
  options: ReadOptions = {},
): Generator<Result<PlacedDocument, TextProblem>, void> {
  const window = new ByteWindow(chunks, options.largestDocument ?? largestDocument);
  const inFile = options.file === undefined ? {} : { file: options.file };
  let document = 0;
  try {
    for (const read of readStream(window, options.knownItems, options.keptItems)) {
      if (read.value !== null || options.keepEmpty === true)
        yield done(placedDocument(read, { ...inFile, document, line: read.line }));
      document++;
    }
  } catch (error) {
    if (!(error instanceof StreamError)) throw error;
    const { kind, line, column, message, goText } = error;
    const place = { ...inFile, document, line, ...(column === undefined ? {} : { column }) };
    yield failed({ kind, place, message, ...(goText === message ? {} : { goText }) });
  }
}

/** The first document of a text; null when there is none. */
export function readYaml(text: string, file?: string): Result<JsonValue, TextProblem> {
  for (const document of documentsOf(text, file === undefined ? {} : { file }))
    return document.ok ? done(document.value.value) : document;
  return done(null);
}

/**
 * False only when the number of keys in the JSON text equals that of its value, so that a second pass would find no
 * duplicates.
 */
function couldRepeatKeys(kind: ReadDocument["kind"], text: string, value: JsonValue): boolean {
  // Quotes inside strings are escaped; a key that ends with one is not counted.
  if (kind !== "json" || text.includes('\\\\"')) return true;
  let found = 0;
  for (const ends = /(?<!\\)"\s*:/g; ends.test(text);) found++;
  return found !== countKeys(value);
}

function countKeys(value: JsonValue): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item: JsonValue) => sum + countKeys(item), 0);
  if (!isJsonObject(value)) return 0;
  const keys = Object.keys(value);
  return keys.reduce((sum, key) => sum + countKeys(member(value, key) ?? null), keys.length);
}

function placedDocument(read: ReadDocument, place: Place): PlacedDocument {
  const { kind, text, value, lostText, jsonProblem } = read;
  if (read.cut !== undefined) return cutDocument(read, read.cut, place);
  const scan = (): ValuePlaces => {
    const places = new ValuePlaces();
    if (kind === "json") recordJsonPlaces(text, places);
    else readYamlDocument(text, places);
    return places;
  };
  return {
    value,
    format: kind,
    place,
    lostText,
    ...(jsonProblem === undefined ? {} : { jsonProblem }),
    ...(read.skipped
      ? { whole: () => placedDocument({ ...read, ...readYamlDocument(text), skipped: false }, place) }
      : {}),
    locate: (pointer) => scan().find(pointer, text, place),
    locateAll(pointers) {
      const places = scan();
      return pointers.map((pointer) => places.find(pointer, text, place));
    },
    duplicateKeys: () => (couldRepeatKeys(kind, text, value) ? scan().duplicates(text, place) : []),
  };
}

/** A document without the items that stayed bytes; places are those of the whole one. */
function cutDocument({ kind, line, value, lostText }: ReadDocument, cut: CutDocument, place: Place): PlacedDocument {
  const whole = (): PlacedDocument => {
    const text = wholeText(cut);
    return placedDocument({ kind, text, line, value: parseJson(text), lostText, skipped: false }, place);
  };
  return {
    value,
    format: kind,
    place,
    lostText,
    kept: cut.items,
    whole,
    locate: (pointer) => whole().locate(pointer),
    locateAll: (pointers) => whole().locateAll(pointers),
    duplicateKeys: () => whole().duplicateKeys(),
  };
}
