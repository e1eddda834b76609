import { entryOf, entryText } from "../../catalog/loading/detached-entry.ts";
import type { CatalogEntry } from "../../catalog/model.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";

export type EntryResult = Result<CatalogEntry, CatalogProblem>;

/** The task of a reading thread; it takes files until none is left. */
export interface ReaderTask {
  readonly root: string;
  readonly files: readonly { readonly path: string; readonly below: readonly string[] }[];
  readonly options: { readonly refuseEmptyDocuments?: boolean; readonly followOutside?: boolean };
  /** One 32-bit number: the index of the next file that no thread has taken yet. */
  readonly next: SharedArrayBuffer;
}

/** What a thread sends back for one file. */
export interface EntryBatch {
  readonly file: number;
  readonly text: string;
}

/** Results as one text, which is handed to another thread faster than the objects are. */
export function encodeResults(results: Iterable<EntryResult>): string {
  const lines: string[] = [];
  for (const result of results)
    lines.push(result.ok ? `+${entryText(result.value)}` : `-${JSON.stringify(result.problem)}`);
  return lines.join("\n");
}

export function decodeResults(text: string): readonly EntryResult[] {
  if (text === "") return [];
  return text.split("\n").map((line) => {
    const rest = line.slice(1);
    return line.startsWith("+") ? done(entryOf(rest)) : failed(JSON.parse(rest) as CatalogProblem);
  });
}

/** Takes files off the list that all threads share, largest first as the list has them. */
export function* takeFiles(next: SharedArrayBuffer, count: number): Generator<number> {
  const counter = new Int32Array(next);
  for (let file = Atomics.add(counter, 0, 1); file < count; file = Atomics.add(counter, 0, 1)) yield file;
}
