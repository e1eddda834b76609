// Entry point of the thread that reads bundles: reading their files and YAML would block the event loop.
import { parentPort } from "node:worker_threads";
import { readBundle } from "../bundle/read-bundle.ts";
import { unpackBundle } from "../bundle/unpack-bundle.ts";
import { plainJson } from "@purser/kubernetes/json";
import { done } from "@purser/kubernetes/result";
import { exactJson } from "@purser/kubernetes/text/documents";
import { readBundleFolder } from "./bundle-folder.ts";
import { fingerprint } from "./fingerprint.ts";
import type { BundleAnswer, BundleQuestion, BundleTask, FoundBundle } from "./parsed-bundles.ts";

async function answerTo(question: BundleQuestion): Promise<FoundBundle | object> {
  const { directory } = question;
  if (question.kind === "find") {
    const seen = await fingerprint(directory);
    const read = await readBundleFolder(directory);
    return { fingerprint: seen, digest: read.ok ? done(read.value.digest) : read } satisfies FoundBundle;
  }
  const read = await readBundleFolder(directory);
  if (!read.ok || read.value.digest !== question.digest)
    throw new Error(`the bundle directory ${directory} changed since it was found`);
  return question.reading === "unpacked" ? unpackBundle(read.value) : readBundle(read.value);
}

// One after the other: what is read at the same time is in memory at the same time.
let last: Promise<void> = Promise.resolve();

parentPort?.on("message", ({ id, question }: BundleTask) => {
  last = last.then(async () => {
    let answer: BundleAnswer;
    try {
      answer = { id, text: exactJson(plainJson(await answerTo(question))) };
    } catch (error) {
      answer = { id, failure: error instanceof Error ? error.message : String(error) };
    }
    parentPort?.postMessage(answer);
  });
});
