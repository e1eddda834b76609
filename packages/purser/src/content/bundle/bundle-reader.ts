// Entry point of the thread that reads bundles: reading their files and YAML would block the event loop.
import { parentPort, workerData } from "node:worker_threads";
import { readBundle } from "../../bundle/read-bundle.ts";
import { unpackBundle } from "../../bundle/unpack-bundle.ts";
import { plainJson } from "@purser/kubernetes/json";
import { done } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { exactJson } from "@purser/kubernetes/text/documents";
import { readBundleFolder } from "./bundle-folder.ts";
import { fingerprint } from "../fingerprint.ts";
import { KeptReadings, type KeptReadingsOptions } from "./kept-readings.ts";
import type { BundleAnswer, BundleQuestion, BundleTask, FoundBundle } from "./parsed-bundles.ts";

const keptIn = workerData as KeptReadingsOptions | undefined;
const kept = keptIn === undefined ? undefined : new KeptReadings(keptIn, systemClock);

async function answerTo(question: BundleQuestion): Promise<FoundBundle | object> {
  const { directory } = question;
  if (question.kind === "find") {
    const seen = await fingerprint(directory);
    const read = await readBundleFolder(directory);
    if (!read.ok) return { fingerprint: seen, digest: read } satisfies FoundBundle;
    const { digest } = read.value;
    kept?.keepDigest(directory, seen, digest);
    return { fingerprint: seen, digest: done(digest) } satisfies FoundBundle;
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
    // Nobody waits for this write.
    if (question.kind === "read" && "text" in answer) kept?.keepReading(question.reading, question.digest, answer.text);
  });
});
