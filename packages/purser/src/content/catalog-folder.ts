import type { CatalogProblem } from "../catalog/problem.ts";
import { buildIndex } from "../catalog-store/build.ts";
import { openIndex, type StoredIndex } from "../catalog-store/open.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { formatPlace } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { fingerprint } from "./fingerprint.ts";
import { KeptIndex } from "./kept-index.ts";
import type { Look, SourceProblem, SourceReader } from "./source-reader.ts";

export interface CatalogFolderOptions {
  readonly name: string;
  /** Folder or file. */
  readonly path: string;
  /** Folder of the indexes and of what is remembered of catalogs. */
  readonly indexes: string;
  readonly clock: Clock;
  readonly builder?: string;
}

/** Writers get this long to finish a change before it is read. */
const settleMs = 400;
const longestSettleMs = 2000;

/** A catalog on disk. Its mark is the fingerprint of its files; a restart finds the index of an unchanged one without reading it. */
export function catalogFolder(options: CatalogFolderOptions): SourceReader<StoredIndex> {
  const { path, clock } = options;
  const memory = new KeptIndex(options.indexes, path);

  /** Waits until nothing changes any more, within bounds. */
  async function settled(first: string, signal: AbortSignal): Promise<string> {
    let last = first;
    for (let waited = 0; waited < longestSettleMs; waited += settleMs) {
      await clock.sleep(settleMs, signal);
      const next = await fingerprint(path);
      if (next === last) break;
      last = next;
    }
    return last;
  }

  return {
    async look({ mark, hasContent }, signal): Promise<Look<StoredIndex> | undefined> {
      const seen = await fingerprint(path);
      if (seen === mark) return undefined;
      const print = mark === undefined ? seen : await settled(seen, signal);
      const kept = memory.recall(print);
      if (kept !== undefined) return { mark: print, found: done(kept) };
      const built = await build(options, signal);
      if (!built.ok) return { mark: print, found: failed(problemOf(options, built.problem)) };
      if ((await fingerprint(path)) === print) {
        memory.remember(print, built.value.digest);
        return { mark: print, found: done(built.value) };
      }
      // Changed again while it was read: the index may mix two contents, and is only used when there is no good content yet.
      if (!hasContent) return { mark: "", found: done(built.value) };
      built.value.close();
      return { mark: "" };
    },
    pauseMs: () => 0,
  };
}

async function build(
  { path, indexes, builder }: CatalogFolderOptions,
  signal: AbortSignal,
): Promise<Result<StoredIndex, readonly CatalogProblem[]>> {
  const unusable = (file: string, message: string): Result<never, readonly CatalogProblem[]> =>
    failed([{ rule: "unreadable", message, place: { file } }]);
  try {
    const built = await buildIndex({
      folder: path,
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
    return unusable(indexes, error instanceof Error ? error.message : String(error));
  }
}

function problemOf({ name, path }: CatalogFolderOptions, problems: readonly CatalogProblem[]): SourceProblem {
  const [first] = problems;
  const place = first?.place === undefined ? "" : `${formatPlace(first.place)}: `;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return {
    cause: `catalog ${name} cannot be used: ${place}${first?.message ?? "unknown problem"}${more}`,
    remedy: `Fix ${first?.place?.file ?? path}; it is read again within 5 seconds of a change.`,
  };
}
