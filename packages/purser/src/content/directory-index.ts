import type { CatalogProblem } from "../catalog/problem.ts";
import { buildIndex } from "../catalog-store/build.ts";
import { openIndex, type StoredIndex } from "../catalog-store/open.ts";
import { formatPlace } from "@purser/kubernetes/place";
import { failed, type Result } from "@purser/kubernetes/result";

export interface DirectoryIndexOptions {
  /** Directory or file of the catalog. */
  readonly path: string;
  /** By default the catalog is validated. */
  readonly form?: "catalog" | "lenient";
  /** Directory of the indexes. */
  readonly indexes: string;
  readonly builder?: string;
}

/** Builds and opens the index of a catalog on disk. Rejects only when the signal aborts. */
export async function buildDirectoryIndex(
  { path, form = "catalog", indexes, builder }: DirectoryIndexOptions,
  signal: AbortSignal,
): Promise<Result<StoredIndex, readonly CatalogProblem[]>> {
  try {
    const built = await buildIndex({
      directory: path,
      form,
      into: indexes,
      signal,
      ...(builder === undefined ? {} : { builder }),
    });
    if (!built.ok) return built;
    const opened = openIndex(built.value.file);
    return opened.ok ? opened : unusable(opened.problem.file, opened.problem.message);
  } catch (error) {
    // A full disk or a builder that cannot be started must not affect the other catalogs.
    signal.throwIfAborted();
    return unwritable(indexes, error);
  }
}

/** The problem of a process that could not build an index, or not keep it, such as one that cannot be started. */
export const unwritable = (directory: string, error: unknown): Result<never, readonly CatalogProblem[]> => {
  const why = error instanceof Error ? error.message : String(error);
  return failed([{ rule: "unwritable", message: `the index cannot be written to ${directory}: ${why}` }]);
};

/** What to do about an index that this machine cannot keep. */
export const unwritableRemedy =
  "Free space in the cache directory, or make it writable; the write is retried automatically.";

/** The same when that is the problem; undefined for a problem of the catalog. */
export const machineRemedy = ([first]: readonly CatalogProblem[]): string | undefined =>
  first?.rule === "unwritable" ? unwritableRemedy : undefined;

/** The problem of an index that cannot be opened. */
export const unusable = (file: string, message: string): Result<never, readonly CatalogProblem[]> =>
  failed([{ rule: "unreadable", message, place: { file } }]);

/** The first problem with its place, and how many there are beside it. */
export function firstOf(problems: readonly CatalogProblem[]): string {
  const [first] = problems;
  const place = first?.place === undefined ? "" : `${formatPlace(first.place)}: `;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `${place}${first?.message ?? "unknown problem"}${more}`;
}
