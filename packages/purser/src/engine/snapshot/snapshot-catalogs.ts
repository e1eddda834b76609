import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { indexDirectory } from "../../catalog-store/format.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import { openIndex } from "../../catalog-store/open.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { fingerprintNow } from "../../content/fingerprint.ts";
import { directoryKey, imageKey, KeptIndex } from "../../content/kept-index.ts";
import type { PulledImage } from "../../image/pulled-image.ts";
import { formatPlace } from "@purser/kubernetes/place";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { CatalogArgument } from "../catalog-argument.ts";

/** A catalog from `--catalog` with its opened index. */
export interface GivenCatalog {
  readonly namespace: string;
  readonly name: string;
  readonly index: StoredIndex;
}

export interface OpenedCatalogs {
  readonly catalogs: readonly GivenCatalog[];
  /** Milliseconds spent on building indexes; 0 when all were in the cache. */
  readonly indexMs: number;
  /** Milliseconds spent on finding and opening indexes. */
  readonly openMs: number;
  close(): void;
}

interface OpenOptions {
  readonly cacheDirectory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const shownProblems = 10;

/** Why a catalog cannot be opened: a sentence, and a line for each of its problems. */
export interface UnopenedCatalog {
  readonly sentence: string;
  readonly lines: readonly string[];
}

function invalidCatalog(reference: string, problems: readonly CatalogProblem[]): UnopenedCatalog {
  const lines = problems
    .slice(0, shownProblems)
    .map(({ place, message }) => `${place === undefined ? "" : `${formatPlace(place)}: `}${message}`);
  const more = problems.length > shownProblems ? [`and ${problems.length - shownProblems} more`] : [];
  return { sentence: `the catalog "${reference}" is invalid`, lines: [...lines, ...more] };
}

/** A catalog from `--catalog`, with the image that its path was pulled from. */
export interface LocatedCatalog extends CatalogArgument {
  /** As the user wrote it. */
  readonly reference: string;
  readonly image?: PulledImage;
}

/** Opens the indexes of catalogs on disk; builds those that are not in the cache. */
export async function openCatalogs(
  given: readonly LocatedCatalog[],
  options: OpenOptions,
): Promise<Result<OpenedCatalogs, UnopenedCatalog>> {
  const catalogs: GivenCatalog[] = [];
  const close = (): void => {
    for (const { index } of catalogs) index.close();
  };
  let indexMs = 0;
  const started = options.clock.monotonic();
  for (const catalog of given) {
    const { namespace, name } = catalog;
    const opened = await openCatalog(catalog, options);
    if (!opened.ok) {
      close();
      return opened;
    }
    catalogs.push({ namespace, name, index: opened.value.index });
    indexMs += opened.value.indexMs;
  }
  return done({ catalogs, indexMs, openMs: options.clock.monotonic() - started - indexMs, close });
}

async function openCatalog(
  { reference, path: given, image }: LocatedCatalog,
  { cacheDirectory, clock, signal }: OpenOptions,
): Promise<Result<{ readonly index: StoredIndex; readonly indexMs: number }, UnopenedCatalog>> {
  const path = resolve(given);
  if (!existsSync(path)) return failed({ sentence: `the catalog "${reference}" does not exist`, lines: [] });
  const indexes = indexDirectory(cacheDirectory);
  // As the controllers read it: faulty packages of a directory are left out, an image has none.
  const form = image === undefined ? "lenient" : "catalog";
  // The same memory as that of the controllers for images.
  const memory = new KeptIndex(indexes, image === undefined ? directoryKey(path, form) : imageKey(image.digest));
  const printed = (): string => (image === undefined ? fingerprintNow(path) : image.digest);
  const print = printed();
  const kept = memory.recall(print);
  if (kept !== undefined) return done({ index: kept, indexMs: 0 });
  const started = clock.monotonic();
  const { buildIndex } = await import("../../catalog-store/build.ts");
  const built = await buildIndex({ directory: path, form, into: indexes, signal });
  if (!built.ok) {
    const { sentence, lines } = invalidCatalog(reference, built.problem);
    const asInImage = (line: string): string => (image === undefined ? line : line.replaceAll(`${image.root}/`, ""));
    return failed({ sentence, lines: lines.map(asInImage) });
  }
  const opened = openIndex(built.value.file);
  if (!opened.ok)
    return failed({
      sentence: `the index of the catalog "${reference}" cannot be read`,
      lines: [opened.problem.message],
    });
  // Not cached when the catalog changed while it was read: it is read again the next time.
  if (printed() === print) memory.remember(print, built.value.digest);
  return done({ index: opened.value, indexMs: clock.monotonic() - started });
}
