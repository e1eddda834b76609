// Entry point of the thread that reads bundles: reading their files and YAML would block the event loop.
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { answerQuestion, keepAnswer } from "./answer-question.ts";
import { KeptReadings, type KeptReadingsOptions } from "./kept-readings.ts";
import type { BundleAnswer, BundleTask } from "./bundle-question.ts";

const keptIn = workerData as KeptReadingsOptions | undefined;
const kept = keptIn === undefined ? undefined : new KeptReadings(keptIn, systemClock);

// One after the other: what is read at the same time is in memory at the same time.
let last: Promise<void> = Promise.resolve();

parentPort?.on("message", ({ id, question }: BundleTask) => {
  last = last.then(async () => {
    let answer: BundleAnswer;
    try {
      answer = { id, text: await answerQuestion(question, kept) };
    } catch (error) {
      answer = { id, failure: error instanceof Error ? error.message : String(error) };
    }
    parentPort?.postMessage(answer);
    if ("text" in answer) keepAnswer(question, answer.text, kept);
  });
});
