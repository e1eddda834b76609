import { blobsOfChunks, entriesOfChunks, type LoadOptions } from "../../catalog/loading/load.ts";
import type { CatalogBlob, CatalogEntry } from "../../catalog/model.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { failed, type Result } from "@purser/kubernetes/result";
import { type CatalogFile, CatalogFileChunks, walkCatalog, type WalkOptions } from "./walk-directory.ts";

export type ReadCatalogOptions = LoadOptions & WalkOptions;

/**
 * All blobs of the catalog at `root` (a directory or one file), one document in memory at a time. A file that cannot be
 * read is one problem; the files behind it are still read.
 */
export function* readCatalog(
  root: string,
  options: ReadCatalogOptions = {},
): Generator<Result<CatalogBlob, CatalogProblem>, void, void> {
  const files = walkCatalog(root);
  if (!files.ok) return yield files;
  for (const file of files.value) {
    const chunks = new CatalogFileChunks(root, file, options);
    yield* untilBroken(chunks, blobsOfChunks({ file: file.path, chunks }, options));
  }
}

/** What validation needs of the catalog at `root`: as {@link readCatalog} without the documents and their texts. */
export function* readCatalogEntries(
  root: string,
  options: ReadCatalogOptions = {},
): Generator<Result<CatalogEntry, CatalogProblem>, void, void> {
  const files = walkCatalog(root);
  if (!files.ok) return yield files;
  for (const file of files.value) yield* entriesOfFile(root, file, options);
}

/** The entries of one file of the catalog at `root`. */
export function entriesOfFile(
  root: string,
  file: CatalogFile,
  options: ReadCatalogOptions,
): Generator<Result<CatalogEntry, CatalogProblem>, void, void> {
  const chunks = new CatalogFileChunks(root, file, options);
  return untilBroken(chunks, entriesOfChunks({ file: file.path, chunks }, options));
}

/** The readable part may end before the file does: a problem of the last document may be wrong. */
function* untilBroken<Item>(
  chunks: CatalogFileChunks,
  items: Iterable<Result<Item, CatalogProblem>>,
): Generator<Result<Item, CatalogProblem>, void, void> {
  for (const item of items) {
    if (chunks.problem !== undefined) break;
    yield item;
  }
  if (chunks.problem !== undefined) yield failed(chunks.problem);
}
