import { documentsOf } from "../text/documents.ts";
import { failed, type Result } from "../result.ts";
import { decodeBlob } from "./decode.ts";
import type { CatalogBlob } from "./model.ts";
import type { CatalogProblem } from "./problem.ts";

/** A file of a catalog, already decoded to text. */
export interface CatalogText {
  /** As the user named it; shown in places. */
  readonly file: string;
  readonly text: string;
}

export interface LoadOptions {
  /** Upstream refuses documents without content; we skip them unless asked to do the same. */
  readonly refuseEmptyDocuments?: boolean;
}

/** The blobs of one file, one at a time; after a syntax problem nothing more comes, other problems skip one blob. */
export function* blobsOf(
  { file, text }: CatalogText,
  { refuseEmptyDocuments = false }: LoadOptions = {},
): Generator<Result<CatalogBlob, CatalogProblem>, void, void> {
  for (const document of documentsOf(text, { file, keepEmpty: refuseEmptyDocuments })) {
    if (document.ok) yield decodeBlob(document.value);
    else yield failed({ rule: "syntax", message: document.problem.message, place: document.problem.place });
  }
}

export interface LoadedCatalog {
  /** In file and document order. */
  readonly blobs: readonly CatalogBlob[];
  readonly problems: readonly CatalogProblem[];
}

/** All blobs of all files, and everything that could not be read. */
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
