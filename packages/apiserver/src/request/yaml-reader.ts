// Entry point of the thread that reads long YAML bodies: the parser would block the event loop.
import { parentPort } from "node:worker_threads";
import { goJson } from "@purser/kubernetes/text/go-json";
import { exactJson } from "@purser/kubernetes/text/documents";
import { TextError } from "@purser/kubernetes/text/problem";
import { yamlDocument } from "./yaml-body.ts";
import type { YamlAnswer } from "./yaml-thread.ts";

parentPort?.on("message", (text: string) => parentPort?.postMessage(answerTo(text)));

function answerTo(text: string): YamlAnswer {
  try {
    const { value, ...repeated } = yamlDocument(text);
    return { kind: "read", json: exactJson(value), goJson: goJson(value), ...repeated };
  } catch (error) {
    if (error instanceof TextError) return { kind: "refused", message: error.message };
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}
