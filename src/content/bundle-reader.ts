// Entrance of the thread that reads bundles: their YAML would keep the process from answering anybody meanwhile.
import { parentPort } from "node:worker_threads";
import { readBundle } from "../bundle/read-bundle.ts";
import { unpackBundle } from "../bundle/unpack-bundle.ts";
import { plainJson } from "../json.ts";
import { exactJson } from "../text/documents.ts";
import type { BundleTask, ReadBundleText } from "./parsed-bundles.ts";

parentPort?.on("message", ({ id, reading, files }: BundleTask) => {
  const result = reading === "unpacked" ? unpackBundle(files) : readBundle(files);
  const answer: ReadBundleText = { id, text: exactJson(plainJson(result)) };
  parentPort?.postMessage(answer);
});
