import { Worker } from "node:worker_threads";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { YamlBody } from "./yaml-body.ts";

/** What the thread answers: the document as JSON in its own order and in Go's, or why it is none. */
export type YamlAnswer =
  | {
      readonly kind: "read";
      readonly json: string;
      readonly goJson: string;
      readonly repeated?: YamlBody["repeated"];
    }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

interface Waiting {
  readonly answered: (answer: YamlAnswer) => void;
  readonly failed: (error: Error) => void;
}

/** Heap of the thread; a body of 3 MB needs a tenth of it. */
const memoryLimitMiB = 512;

/**
 * Reads long YAML texts in a thread of its own, one after the other: the parser cannot pause. The thread is started for the
 * first text and ends when it is idle.
 */
export class YamlThread {
  /** In the order of the texts, which is that of the answers. */
  readonly #waiting: Waiting[] = [];
  readonly #idleMs: number;
  #worker: Worker | undefined;
  #isIdle: AbortController | undefined;

  /** `idleMs`: how long an idle thread is kept, because several large bodies often follow one another. */
  constructor(idleMs = 1000) {
    this.#idleMs = idleMs;
  }

  /** Whether there is a thread now. */
  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** The first document of the text; rejects when the thread ends before it is read. */
  read(text: string): Promise<YamlAnswer> {
    this.#isIdle?.abort();
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    return new Promise((answered, failed) => {
      this.#waiting.push({ answered, failed });
      worker.postMessage(text);
    });
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./yaml-reader.${extension}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMiB, maxYoungGenerationSizeMb: 16 },
    });
    worker.on("message", (answer: YamlAnswer) => {
      this.#waiting.shift()?.answered(answer);
      if (this.#waiting.length > 0) return;
      worker.unref();
      this.#endLater();
    });
    let cause = new Error("the thread that reads YAML ended");
    worker.on("error", (error) => (cause = error));
    worker.on("exit", () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const { failed } of this.#waiting.splice(0)) failed(cause);
    });
    return worker;
  }

  #endLater(): void {
    const idle = new AbortController();
    this.#isIdle = idle;
    systemClock.sleep(this.#idleMs, idle.signal).then(
      () => this.#stop(),
      () => undefined,
    );
  }

  #stop(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

/** A process needs one. */
export const yamlThread = new YamlThread();
