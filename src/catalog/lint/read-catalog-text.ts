import { isJsonObject, type JsonValue, member } from "../../json.ts";
import type { PlacedDocument } from "../../text/documents.ts";
import { escapePointer, sortedKeys } from "../../text/documents.ts";
import { bundleShape, channelShape, deprecationShape, packageShape } from "../blob-shapes.ts";
import { decodeBlob } from "../decode.ts";
import { foldKey, type GoShape, isPlainObject, kindOf, misfit, textOf } from "../go-shape.ts";
import type { CatalogText } from "../load.ts";
import type { CatalogBlob } from "../model.ts";
import type { CatalogProblem, CatalogRule } from "../problem.ts";
import type { Finding } from "./finding.ts";
import { quoted } from "./finding-words.ts";
import { documentsOfStream } from "./stream.ts";

export interface ReadText {
  readonly blobs: readonly CatalogBlob[];
  readonly findings: readonly Finding[];
  /** Some document could not be read, and what it would have said is unknown. */
  readonly isPartial: boolean;
}

/** All that can be read of one file, and everything that cannot. */
export function readCatalogText({ file, text }: CatalogText): ReadText {
  const blobs: CatalogBlob[] = [];
  const findings: Finding[] = [];
  let isPartial = false;
  for (const read of documentsOfStream(text, file)) {
    if (!read.ok) {
      const { message, place } = read.problem;
      findings.push({ rule: "PFL002", message: "the text cannot be read", why: message, place });
      isPartial = true;
      continue;
    }
    const document = read.value;
    if (document.value === null) {
      findings.push(emptyDocument(document));
      continue;
    }
    const blob = decodeBlob(document);
    if (blob.ok) blobs.push(blob.value);
    else {
      findings.push(...documentFindings(document, blob.problem));
      isPartial = true;
    }
    for (const place of document.duplicateKeys()) {
      const message = `the key ${quoted(place.pointer?.split("/").at(-1) ?? "")} stands twice`;
      findings.push({ rule: "PFL010", message, place });
    }
  }
  return { blobs, findings, isPartial };
}

function emptyDocument({ place }: PlacedDocument): Finding {
  return {
    rule: "PFL009",
    message: "a document without content",
    place,
    fix: [{ kind: "joinDocument", file: place.file ?? "", document: place.document ?? 0 }],
  };
}

const ids: Readonly<Partial<Record<CatalogRule, string>>> = {
  unreadable: "PFL001",
  syntax: "PFL002",
  "not-an-object": "PFL003",
  "duplicate-keys": "PFL004",
  "schema-missing": "PFL005",
  "meta-type": "PFL006",
  "field-type": "PFL007",
  "bundle-object": "PFL008",
};

const sentences: Readonly<Partial<Record<CatalogRule, string>>> = {
  "not-an-object": "the document is no object",
  "duplicate-keys": "a key stands there in two spellings",
  "schema-missing": "the document has no schema",
  "bundle-object": "an embedded manifest cannot be read",
};

/** A problem that reading a file or a document gave, as a finding. */
export function fileFinding(problem: CatalogProblem): Finding {
  const { rule, message, place = {} } = problem;
  const sentence = sentences[rule];
  return {
    rule: ids[rule] ?? "PFL001",
    message: sentence ?? message,
    ...(sentence === undefined || rule === "schema-missing" ? {} : { why: message }),
    place,
  };
}

const shapes: ReadonlyMap<string, GoShape> = new Map([
  ["olm.package", packageShape],
  ["olm.channel", channelShape],
  ["olm.bundle", bundleShape],
  ["olm.deprecations", deprecationShape],
]);

function documentFindings(document: PlacedDocument, problem: CatalogProblem): readonly Finding[] {
  const { value, place } = document;
  if (!isJsonObject(value)) return [fileFinding(problem)];
  if (problem.rule === "meta-type")
    return ["schema", "package", "name"].flatMap((key): Finding[] => {
      const found = member(value, key);
      if (found === undefined || typeof found === "string") return [];
      const message = `${key} is a ${kindOf(found)}, not a string`;
      return [{ rule: "PFL006", message, place: { ...place, pointer: `/${key}` } }];
    });
  const shape = problem.rule === "field-type" ? shapes.get(textOf(value, "schema")) : undefined;
  if (shape === undefined) return [fileFinding(problem)];
  return misfits(value, shape, "").map(({ pointer, found, wanted }) => ({
    rule: "PFL007",
    message: `${pointer} is a ${found}, not ${wanted}`,
    place: { ...place, pointer },
  }));
}

interface Misfit {
  readonly pointer: string;
  readonly found: string;
  readonly wanted: string;
}

const words = {
  string: "a string",
  bool: "true or false",
  int32: "an integer",
  raw: "a value",
  bytes: "base64",
  list: "a list",
  map: "an object",
  struct: "an object",
} as const;

/** All values of a document that do not fit, with their places. */
function misfits(value: JsonValue, shape: GoShape, pointer: string): readonly Misfit[] {
  if (value === null) return [];
  if (shape.kind === "list" && Array.isArray(value))
    return value.flatMap((item: JsonValue, index) => misfits(item, shape.item, `${pointer}/${index}`));
  if ((shape.kind === "struct" || shape.kind === "map") && isPlainObject(value))
    return sortedKeys(value).flatMap((key) => {
      const field = shape.kind === "map" ? shape.item : fieldShape(shape.fields, key);
      return field === undefined ? [] : misfits(member(value, key) ?? null, field, `${pointer}/${escapePointer(key)}`);
    });
  if (misfit(value, shape) === undefined) return [];
  return [{ pointer, found: kindOf(value), wanted: words[shape.kind] }];
}

function fieldShape(fields: Readonly<Record<string, GoShape>>, key: string): GoShape | undefined {
  if (Object.hasOwn(fields, key)) return fields[key];
  const folded = foldKey(key);
  return Object.entries(fields).find(([name]) => foldKey(name) === folded)?.[1];
}
