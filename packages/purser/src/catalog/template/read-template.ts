import { goQuote } from "@purser/kubernetes/go-quote";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { documentsOf, type PlacedDocument } from "@purser/kubernetes/text/documents";
import { decodeBlob, decodeMeta } from "../loading/decode.ts";
import { fieldOf, type GoShape, isPlainObject, itemsOf, list, misfit, raw, struct, text } from "../schemas/go-shape.ts";
import type { CatalogBlob } from "../model.ts";
import { type TemplateKind, type TemplateProblem, templateSchemas, type TemplateText } from "./template.ts";

/** A template as a document with its places. */
export interface ReadTemplate {
  readonly document: PlacedDocument;
  readonly json: JsonObject;
}

const startOf = ({ file }: TemplateText): Place => ({ ...(file === undefined ? {} : { file }), document: 0, line: 1 });

/**
 * The first document of a text, read as Kubernetes' decoders read a stream.
 * @param context what upstream was doing when it failed, such as `decoding template schema`
 */
function readFirstDocument(template: TemplateText, context: string): Result<PlacedDocument, TemplateProblem> {
  const { file, text: stream } = template;
  for (const document of documentsOf(stream, { ...(file === undefined ? {} : { file }), keepEmpty: true })) {
    if (document.ok) return done(document.value);
    const { message, goText = message, place } = document.problem;
    return failed({ kind: "unreadable", message: `${context}: ${goText}`, place });
  }
  return failed({ kind: "unreadable", message: `${context}: EOF`, place: startOf(template) });
}

/** A document as Go's decoder reads it into a struct; a document without content is invalid JSON to it. */
function readObject(document: PlacedDocument, shape: GoShape, context: string): Result<JsonObject, TemplateProblem> {
  const { value, place } = document;
  const complaint = value === null ? "unexpected end of JSON input" : misfit(value, shape);
  if (complaint === undefined && value !== null && isPlainObject(value)) return done(value);
  return failed({ kind: "unreadable", message: `${context}: ${complaint ?? "not an object"}`, place });
}

/** The text of the first document's `schema`. */
export function schemaOf(template: TemplateText): Result<string, TemplateProblem> {
  const document = readFirstDocument(template, "decoding template input");
  if (!document.ok) return document;
  const shape = struct('struct { Schema string "json:\\"schema\\"" }', { schema: text });
  const json = readObject(document.value, shape, "unmarshalling template schema");
  if (!json.ok) return json;
  const schema = fieldOf(json.value, "schema");
  if (typeof schema === "string" && schema !== "") return done(schema);
  const message = "template input missing required 'schema' field";
  return failed({ kind: "unknownSchema", message, place: document.value.place });
}

/** A template whose entries are blobs: its document, checked against `fields`, and its schema. */
export function readEntriesTemplate(
  template: TemplateText,
  kind: TemplateKind,
  name: string,
  fields: Readonly<Record<string, GoShape>> = {},
): Result<ReadTemplate, TemplateProblem> {
  const document = readFirstDocument(template, "decoding template schema");
  if (!document.ok) return document;
  const entries: GoShape = { ...list({ ...raw, type: "*declcfg.Meta" }) };
  const shape = struct(name, { schema: text, entries, ...fields });
  const json = readObject(document.value, shape, "unmarshalling template");
  if (!json.ok) return json;
  const read = { document: document.value, json: json.value };
  for (const [index, value] of itemsOf(json.value, "entries").entries()) {
    // Upstream accepts a null entry here and fails on it later.
    const meta = value === null ? done(null) : decodeMeta(entryDocument(read, value));
    if (!meta.ok) return failed(atEntry(read, index, "unreadable", `unmarshalling template: ${meta.problem.message}`));
  }
  const schema = fieldOf(json.value, "schema");
  const wanted = templateSchemas[kind];
  if (schema === wanted) return done(read);
  const found = goQuote(typeof schema === "string" ? schema : "");
  return failed({
    kind: "unknownSchema",
    message: `template has unknown schema (${found}), should be ${goQuote(wanted)}`,
    place: document.value.locate("/schema"),
  });
}

/** The entries of a template as blobs of a catalog; the first that is none ends it. */
export function readEntries(template: ReadTemplate): Result<readonly CatalogBlob[], TemplateProblem> {
  const blobs: CatalogBlob[] = [];
  for (const [index, value] of itemsOf(template.json, "entries").entries()) {
    if (value === null) return failed(atEntry(template, index, "refused", `entries[${index}] is null`));
    const blob = decodeBlob(entryDocument(template, value));
    if (!blob.ok) return failed(atEntry(template, index, "unreadable", blob.problem.message));
    blobs.push(blob.value);
  }
  return done(blobs);
}

export function atEntry(
  { document }: ReadTemplate,
  index: number,
  kind: TemplateProblem["kind"],
  message: string,
): TemplateProblem {
  return { kind, message, place: document.locate(`/entries/${index}`) };
}

/** Finding a place reads the text again, so an entry has one of its own only when something is wrong with it. */
function entryDocument({ document }: ReadTemplate, value: JsonValue): PlacedDocument {
  return madeDocument(value, document.place);
}

/** A blob made here, as if it had been read. Upstream's texts are those of its JSON decoder. */
export function madeBlob(json: JsonObject, place: Place): CatalogBlob {
  const blob = decodeBlob(madeDocument(json, place));
  if (!blob.ok) throw new Error(`A blob of our own making is none: ${blob.problem.message}`);
  return blob.value;
}

/** A document for a value that was not read from a text. */
export function madeDocument(value: JsonValue, place: Place): PlacedDocument {
  return {
    value,
    format: "json",
    place,
    locate: () => place,
    locateAll: (pointers) => pointers.map(() => place),
    duplicateKeys: () => [],
    lostText: false,
  };
}
