import {
  type KeptItems,
  type PlacedDocument,
  documentsOf,
  documentsOfBytes,
  type TextProblem,
} from "@purser/kubernetes/text/documents";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { decodeBlob } from "./decode.ts";
import { KnownImages } from "../known-images.ts";
import { validated } from "./detached-entry.ts";
import { knownProperties } from "./known-properties.ts";
import type { CatalogBlob, CatalogEntry } from "../model.ts";
import type { CatalogProblem } from "../problem.ts";

/** A file of a catalog, already decoded to text. */
export interface CatalogText {
  /** As the user named it; shown in places. */
  readonly file: string;
  readonly text: string;
}

/** A file of a catalog as it comes from a disk, in pieces of UTF-8. */
export interface CatalogChunks {
  readonly file: string;
  readonly chunks: Iterable<Uint8Array>;
}

export interface LoadOptions {
  /** Upstream refuses documents without content; we skip them unless asked to do the same. */
  readonly refuseEmptyDocuments?: boolean;
  /** Properties in JSON that are written as upstream writes them stay bytes: {@link CatalogBlob.kept}. */
  readonly keepProperties?: boolean;
}

/** The blobs of one file, one at a time; after a syntax problem nothing more comes, other problems skip one blob. */
export function blobsOf(
  { file, text }: CatalogText,
  options: LoadOptions = {},
): Generator<Result<CatalogBlob, CatalogProblem>, void, void> {
  return decoded(documentsOf(text, { file, keepEmpty: options.refuseEmptyDocuments === true }));
}

/** As {@link blobsOf}, with one document at a time in memory. */
export function blobsOfChunks(
  { file, chunks }: CatalogChunks,
  options: LoadOptions = {},
): Generator<Result<CatalogBlob, CatalogProblem>, void, void> {
  const keepEmpty = options.refuseEmptyDocuments === true;
  return decoded(
    documentsOfBytes(chunks, { file, keepEmpty, ...(options.keepProperties === true ? { keptItems: kept } : {}) }),
  );
}

/** Metadata is written behind other properties; the manifests in objects are checked. */
const kept: KeptItems = { list: "properties", apart: "olm.csv.metadata", read: "olm.bundle.object" };

/** What validation needs of a file's blobs: as {@link blobsOfChunks}, each as {@link validated}. */
export function* entriesOfChunks(
  { file, chunks }: CatalogChunks,
  options: LoadOptions = {},
): Generator<Result<CatalogEntry, CatalogProblem>, void, void> {
  const images = new KnownImages();
  const keepEmpty = options.refuseEmptyDocuments === true;
  for (const document of documentsOfBytes(chunks, { file, keepEmpty, knownItems: knownProperties })) {
    let blob = blobOf(document);
    if (document.ok && document.value.whole !== undefined && showsDocument(blob))
      blob = blobOf(done(document.value.whole()));
    if (!blob.ok) yield blob;
    else yield done(validated(blob.value, document.ok && document.value.format === "json", images));
  }
}

/** Whether a problem of the blob may show its document, or count its properties. */
function showsDocument(blob: Result<CatalogBlob, CatalogProblem>): boolean {
  return !blob.ok || (blob.value.content.kind === "bundle" && blob.value.content.propertyProblem !== undefined);
}

function* decoded(
  documents: Iterable<Result<PlacedDocument, TextProblem>>,
): Generator<Result<CatalogBlob, CatalogProblem>, void, void> {
  for (const document of documents) yield keptBlobOf(document);
}

/** A document whose blob is refused is read whole: its items are in the refusal. */
function keptBlobOf(document: Result<PlacedDocument, TextProblem>): Result<CatalogBlob, CatalogProblem> {
  const blob = blobOf(document);
  if (!document.ok) return blob;
  const { kept: items, whole } = document.value;
  if (items === undefined || whole === undefined) return blob;
  const readWhole = (): Result<CatalogBlob, CatalogProblem> => blobOf(done(whole()));
  if (!blob.ok) return readWhole();
  const wholeBlob = (): CatalogBlob => {
    const read = readWhole();
    if (!read.ok) throw new Error(`a blob that was read before is refused: ${read.problem.message}`);
    return read.value;
  };
  return done({ ...blob.value, kept: { items, whole: wholeBlob } });
}

/** Rules that broken JSON may violate when it is read as YAML. */
const misread: ReadonlySet<string> = new Set(["not-an-object", "duplicate-keys", "meta-type"]);

function blobOf(document: Result<PlacedDocument, TextProblem>): Result<CatalogBlob, CatalogProblem> {
  if (document.ok) {
    const blob = decodeBlob(document.value);
    const { jsonProblem } = document.value;
    if (blob.ok || jsonProblem === undefined || !misread.has(blob.problem.rule)) return blob;
    return failed({ ...blob.problem, upstreamText: jsonProblem });
  }
  const { message, goText, place } = document.problem;
  return failed({ rule: "syntax", message, ...(goText === undefined ? {} : { upstreamText: goText }), place });
}

export interface LoadedCatalog {
  /** In file and document order. */
  readonly blobs: readonly CatalogBlob[];
  readonly problems: readonly CatalogProblem[];
}

/**
 * All blobs of all files, and everything that could not be read.
 * @testOnly the product reads a catalog one document after the other
 */
export function loadCatalog(files: readonly CatalogText[], options: LoadOptions = {}): LoadedCatalog {
  const blobs: CatalogBlob[] = [];
  const problems: CatalogProblem[] = [];
  for (const file of files) {
    for (const result of blobsOf(file, options)) {
      if (result.ok) blobs.push(result.value);
      else problems.push(result.problem);
    }
  }
  return { blobs, problems };
}
