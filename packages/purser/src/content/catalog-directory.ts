import type { PackageFault } from "../catalog/catalog-index.ts";
import type { CatalogProblem } from "../catalog/problem.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed } from "@purser/kubernetes/result";
import { buildDirectoryIndex, firstOf, type DirectoryIndexOptions, machineRemedy } from "./directory-index.ts";
import { fingerprint } from "./fingerprint.ts";
import { directoryKey, KeptIndex } from "./kept-index.ts";
import type { Look, SourceProblem, SourceReader } from "./source-reader.ts";

export interface CatalogDirectoryOptions extends DirectoryIndexOptions {
  readonly name: string;
  readonly clock: Clock;
}

/** Writers get this long to finish a change before it is read. */
const settleMs = 400;
const longestSettleMs = 2000;

/** Until an index that this machine could not keep is built again. */
const unwritableMs = 30_000;

/** A catalog on disk. Its mark is the fingerprint of its files; a restart finds the index of an unchanged one without reading it. */
export function catalogDirectory(options: CatalogDirectoryOptions): SourceReader<StoredIndex> {
  const { path, clock } = options;
  const memory = new KeptIndex(options.indexes, directoryKey(path, options.form));
  /** Whether this machine could not keep the last index that was built. */
  let isUnwritable = false;

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
    async look({ mark, hasContent, lastGood }, signal): Promise<Look<StoredIndex> | undefined> {
      const seen = await fingerprint(path);
      if (seen === mark) return undefined;
      const print = mark === undefined ? seen : await settled(seen, signal);
      const kept = memory.recall(print);
      if (kept !== undefined) return { mark: print, found: done(kept) };
      const built = await buildDirectoryIndex(options, signal);
      const free = built.ok ? undefined : machineRemedy(built.problem);
      isUnwritable = free !== undefined;
      // What is wrong with the disk does not show in the files of the catalog.
      if (!built.ok) return { mark: free === undefined ? print : "", found: failed(problemOf(options, built.problem)) };
      const lost = (built.value.faults ?? []).find(({ packageName }) => lastGood?.package(packageName) !== undefined);
      if (lost !== undefined) {
        built.value.close();
        return { mark: print, found: failed(lostPackage(options, lost)) };
      }
      if ((await fingerprint(path)) === print) {
        memory.remember(print, built.value.digest);
        return { mark: print, found: done(built.value) };
      }
      // Changed again while it was read: the index may mix two contents, and is only used when there is no good content yet.
      if (!hasContent) return { mark: "", found: done(built.value) };
      built.value.close();
      return { mark: "" };
    },
    pauseMs: () => (isUnwritable ? unwritableMs : 0),
  };
}

/** A package that was good may be half written: it is kept for those that use it, as its last good content. */
function lostPackage({ name, path }: CatalogDirectoryOptions, { packageName, cause }: PackageFault): SourceProblem {
  return {
    cause: `catalog ${name} cannot be used: package ${packageName}: ${cause}`,
    remedy: `Correct package ${packageName} in ${path}; it is read again within 5 seconds of a change.`,
  };
}

function problemOf({ name, path }: CatalogDirectoryOptions, problems: readonly CatalogProblem[]): SourceProblem {
  return {
    cause: `catalog ${name} cannot be used: ${firstOf(problems)}`,
    remedy:
      machineRemedy(problems) ??
      `Fix ${problems[0]?.place?.file ?? path}; it is read again within 5 seconds of a change.`,
  };
}
