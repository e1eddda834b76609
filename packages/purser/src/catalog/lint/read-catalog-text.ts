import { isJsonObject, member } from "@purser/kubernetes/json";
import type { PlacedDocument } from "@purser/kubernetes/text/documents";
import { bundleShape, channelShape, deprecationShape, packageShape } from "../schemas/blob-shapes.ts";
import { decodeBlob } from "../loading/decode.ts";
import { type GoShape, kindOf, textOf } from "../schemas/go-shape.ts";
import type { CatalogText } from "../loading/load.ts";
import type { CatalogBlob } from "../model.ts";
import type { CatalogProblem, CatalogRule } from "../problem.ts";
import type { Finding } from "./finding.ts";
import { quoted } from "./finding-words.ts";
import { misfits, misfitSentence, quotesRemedy } from "./findings/misfits.ts";
import { documentsOfStream } from "./stream.ts";

export interface ReadText {
  readonly blobs: readonly CatalogBlob[];
  readonly findings: readonly Finding[];
  /** At least one document could not be read. */
  readonly isPartial: boolean;
}

/** All blobs of one file that can be read, and findings for everything that cannot. */
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
      const message = `the key ${quoted(place.pointer?.split("/").at(-1) ?? "")} occurs more than once`;
      findings.push({ rule: "PFL010", message, place });
    }
  }
  if (blobs.length > 0 || !isNoCatalogFile(file)) return { blobs, findings, isPartial };
  const remedy = "keep the file out of the catalog: move it, or name it in .indexignore";
  // No edit can turn such a file into a catalog file.
  const unfixable = findings.map(({ rule, message, why, place }): Finding => ({
    rule,
    message,
    ...(why === undefined ? {} : { why }),
    remedy,
    place,
  }));
  return { blobs, findings: unfixable, isPartial };
}

/** By its name: a README, settings, and files in hidden directories. OLM reads all files of a directory, whatever their names. */
function isNoCatalogFile(file: string): boolean {
  const segments = file.split("/").filter((segment) => segment !== "." && segment !== "..");
  return segments.some((segment) => segment.startsWith(".")) || !/\.(?:ya?ml|json)$/i.test(file);
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
  "not-an-object": "the document is not an object",
  "duplicate-keys": "the document has one key in two spellings",
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
  return misfits(value, shape, "").map((wrong) => {
    const { pointer } = wrong;
    const remedy = quotesRemedy(wrong);
    const message = misfitSentence(pointer, wrong);
    return { rule: "PFL007", message, ...(remedy === undefined ? {} : { remedy }), place: { ...place, pointer } };
  });
}
