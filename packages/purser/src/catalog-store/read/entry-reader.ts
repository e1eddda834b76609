// Entrance of a thread that reads files of a catalog and sends back what validation needs of them.
import { parentPort, workerData } from "node:worker_threads";
import { encodeResults, type EntryBatch, type ReaderTask, takeFiles } from "./entry-batch.ts";
import { entriesOfFile } from "./read-catalog.ts";

const { root, files, options, next } = workerData as ReaderTask;
for (const index of takeFiles(next, files.length)) {
  const file = files[index];
  if (file === undefined) continue;
  const batch: EntryBatch = { file: index, text: encodeResults(entriesOfFile(root, file, options)) };
  parentPort?.postMessage(batch);
}
