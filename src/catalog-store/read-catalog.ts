import { blobsOf, type LoadOptions } from "../catalog/load.ts";
import type { CatalogBlob } from "../catalog/model.ts";
import type { CatalogProblem } from "../catalog/problem.ts";
import { failed, type Result } from "../result.ts";
import { textOfFile } from "../text/file-text.ts";
import { readCatalogFile, type WalkOptions, walkCatalog } from "./walk-folder.ts";

/**
 * All blobs of the catalog at `root` (a folder or one file), one document in memory at a time. A file that cannot be
 * read is one problem; the files behind it are still read.
 */
export function* readCatalog(
  root: string,
  options: LoadOptions & WalkOptions = {},
): Generator<Result<CatalogBlob, CatalogProblem>, void, void> {
  const files = walkCatalog(root);
  if (!files.ok) return yield files;
  for (const file of files.value) {
    const bytes = readCatalogFile(root, file, options);
    if (!bytes.ok) {
      yield bytes;
      continue;
    }
    const text = textOfFile(bytes.value, file.path);
    if (text.ok) yield* blobsOf({ file: file.path, text: text.value }, options);
    else yield failed({ rule: "syntax", message: text.problem.message, place: text.problem.place });
  }
}
