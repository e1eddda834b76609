import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { decodeResults, type EntryBatch, type EntryResult, type ReaderTask, takeFiles } from "./entry-batch.ts";
import { entriesOfFile, type ReadCatalogOptions } from "./read-catalog.ts";
import { type CatalogFile, walkCatalog } from "./walk-directory.ts";

export interface AllCoresOptions extends ReadCatalogOptions {
  /** Threads in all, this one counted; by default as many as there are cores, and fewer for a small catalog. */
  readonly threads?: number;
  /** The entrance of a thread; by default it lies beside this module, as source or bundled. */
  readonly reader?: URL;
}

/** A thread is worth its start, with code that runs cold again, when it has so many bytes to read. */
const bytesPerThread = 8 * 2 ** 20;
/** Heap for short-lived objects of one thread; more only raises resident memory. */
const youngGenerationMiB = 8;

/**
 * As `readCatalogEntries`, with all cores: the same results in the same order, so the first problem is the same. This
 * thread takes its share of the files and is busy meanwhile. A thread that dies leaves its file to this one.
 */
export async function readEntriesOnAllCores(
  root: string,
  options: AllCoresOptions = {},
): Promise<Iterable<EntryResult>> {
  const walked = walkCatalog(root);
  if (!walked.ok) return [walked];
  const files = walked.value;
  const sizes = new Map(files.map((file) => [file, sizeOf(file)]));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const threads = options.threads ?? Math.min(availableParallelism(), Math.floor(total / bytesPerThread));
  if (threads < 2 || files.length < 2) return inTurn(root, files, options);
  const { reader = defaultReader() } = options;
  const { refuseEmptyDocuments = false, followOutside = false } = options;
  const task: ReaderTask = {
    root,
    files: files.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0)),
    options: { refuseEmptyDocuments, followOutside },
    next: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  };
  const texts = new Map<CatalogFile, string>();
  const others = Array.from({ length: Math.min(threads, files.length) - 1 }, () => readElsewhere(reader, task, texts));
  const own = new Map<CatalogFile, readonly EntryResult[]>();
  for (const index of takeFiles(task.next, files.length)) {
    const file = task.files[index];
    if (file !== undefined) own.set(file, [...entriesOfFile(root, file, options)]);
  }
  await Promise.all(others);
  return merged(root, files, options, own, texts);
}

function* inTurn(root: string, files: readonly CatalogFile[], options: ReadCatalogOptions): Generator<EntryResult> {
  for (const file of files) yield* entriesOfFile(root, file, options);
}

function* merged(
  root: string,
  files: readonly CatalogFile[],
  options: ReadCatalogOptions,
  own: ReadonlyMap<CatalogFile, readonly EntryResult[]>,
  texts: Map<CatalogFile, string>,
): Generator<EntryResult> {
  for (const file of files) {
    const text = texts.get(file);
    texts.delete(file);
    yield* own.get(file) ?? (text === undefined ? entriesOfFile(root, file, options) : decodeResults(text));
  }
}

/** Resolves when the thread has ended, in whatever way; what it did not send is read here. */
function readElsewhere(reader: URL, task: ReaderTask, texts: Map<CatalogFile, string>): Promise<void> {
  return new Promise((resolve) => {
    // Small catalogs need no thread, and no 4 ms to load that module.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const worker = new Worker(reader, {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMiB },
    });
    worker.on("message", ({ file, text }: EntryBatch) => {
      const named = task.files[file];
      if (named !== undefined) texts.set(named, text);
    });
    // An error ends the thread; without a listener it would end this one as well.
    worker.on("error", () => {});
    worker.on("exit", () => resolve());
  });
}

/** 0 for a file without readable size; reading it reports the problem. */
function sizeOf({ path }: CatalogFile): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function defaultReader(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./entry-reader.${extension}`, import.meta.url);
}
