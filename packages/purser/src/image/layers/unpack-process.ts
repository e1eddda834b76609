import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Clock } from "@purser/kubernetes/clock";
import { failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { startTimeLimit } from "../time-limit.ts";
import type { Unpacked, UnpackTask } from "./unpack-layers.ts";
import { sizeText } from "./unpack-limits.ts";

/** Why a task was not done. */
export type UnpackFailure =
  /** What the archives hold: the same archives give the same failure. */
  | { readonly kind: "invalid" | "limit" | "content"; readonly message: string }
  /** The process was killed because it needed too much memory or time; on another day it may do. */
  | { readonly kind: "exceeded"; readonly message: string }
  /** What the system refused, with its code (`ENOSPC`) when it has one. */
  | { readonly kind: "machine"; readonly message: string; readonly code: string };

/** The message of the child for each task. */
export type UnpackAnswer = Result<Unpacked, UnpackFailure>;

export interface UnpackProcessOptions {
  /** Measures the time limit: of a real process, so by default the machine's clock. */
  readonly clock?: Clock;
  /** The child's entrance; by default it lies beside this module, as source or bundled. */
  readonly entrance?: string;
  /** Heap of the child; what it unpacks passes through outside of the heap, in small parts. */
  readonly memoryLimitMiB?: number;
  /** One task may take this long. */
  readonly timeLimitMs?: number;
  /** A child is replaced after this many tasks ... */
  readonly mostTasks?: number;
  /** ... or when it wrote this many bytes. */
  readonly mostBytes?: number;
}

/** Of the child, each of which waits for the disk to write one file. */
const threads = "16";

interface Child {
  readonly process: ChildProcess;
  /** The last part of what it wrote on its standard error. */
  errors: string;
  tasks: number;
  bytes: number;
}

interface Waiting {
  readonly task: UnpackTask;
  readonly signal: AbortSignal;
  readonly resolve: (answer: UnpackAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Unpacks images in a process of its own with a limit for memory and for time: a broken reader of archives ends that
 * process, not this one. Tasks run one after the other; the process stays for the next task and is replaced regularly.
 */
export class UnpackProcess {
  readonly #options: Required<UnpackProcessOptions>;
  readonly #waiting: Waiting[] = [];
  readonly #ended = new AbortController();
  #child: Child | undefined;
  #isRunning = false;
  #tasksAtRest = 0;

  constructor(options: UnpackProcessOptions = {}) {
    this.#options = {
      clock: systemClock,
      entrance: defaultEntrance(),
      memoryLimitMiB: 96,
      timeLimitMs: 10 * 60_000,
      mostTasks: 50,
      mostBytes: 100 * 2 ** 20,
      ...options,
    };
  }

  /** Rejects with the signal's reason when it aborts or the process is closed; the child is killed when it had begun. */
  unpack(task: UnpackTask, signal: AbortSignal): Promise<UnpackAnswer> {
    const either = AbortSignal.any([signal, this.#ended.signal]);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, signal: either, resolve, reject });
      void this.#run();
    });
  }

  /** Starts the process, so that it is ready when a task comes; it does not keep this one alive. */
  prepare(): void {
    if (this.#isRunning || this.#ended.signal.aborted) return;
    this.#child ??= this.#start();
    release(this.#child.process);
  }

  /** Process id of the running child, for measurements. */
  get pid(): number | undefined {
    return this.#child?.process.pid;
  }

  close(): void {
    this.#ended.abort(new Error("unpacking was ended"));
    this.#end(this.#child);
  }

  /** Ends a child that had no task since the last call. */
  rest(): void {
    if (this.#isRunning || this.#child === undefined) return;
    if (this.#child.tasks === this.#tasksAtRest) this.#end(this.#child);
    this.#tasksAtRest = this.#child?.tasks ?? 0;
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        next.signal.throwIfAborted();
        next.resolve(await this.#answer(next.task, next.signal));
      } catch (error) {
        next.reject(error);
      }
    }
    this.#isRunning = false;
  }

  async #answer(task: UnpackTask, signal: AbortSignal): Promise<UnpackAnswer> {
    const { clock, timeLimitMs, memoryLimitMiB, mostTasks, mostBytes } = this.#options;
    const child = (this.#child ??= this.#start());
    hold(child.process);
    let isLate = false;
    const onAbort = (): void => this.#end(child);
    signal.addEventListener("abort", onAbort);
    const stopLimit = startTimeLimit(clock, timeLimitMs, () => {
      isLate = true;
      this.#end(child);
    });
    const answer = await new Promise<UnpackAnswer | string>((resolve) => {
      const onMessage = (message: UnpackAnswer): void => finish(message);
      const onEnd = (code: number | null, killed: string | null): void => finish(killed ?? `code ${code}`);
      const onError = (error: Error): void => finish(error.message);
      const finish = (result: UnpackAnswer | string): void => {
        child.process.off("message", onMessage).off("exit", onEnd).off("error", onError);
        resolve(result);
      };
      child.process.on("message", onMessage).on("exit", onEnd).on("error", onError);
      child.process.send(task, (error) => error !== null && finish(error.message));
    });
    signal.removeEventListener("abort", onAbort);
    stopLimit();
    signal.throwIfAborted();
    if (typeof answer === "string") {
      this.#end(child);
      if (isLate)
        return failed({
          kind: "exceeded",
          message: `unpacking took more than ${Math.round(timeLimitMs / 1000)} seconds`,
        });
      const isFull = child.errors.includes("heap out of memory") || answer === "SIGABRT" || answer === "code 134";
      return isFull
        ? failed({
            kind: "exceeded",
            message: `unpacking needs more than ${sizeText(memoryLimitMiB * 2 ** 20)} of memory`,
          })
        : failed({ kind: "machine", code: "", message: `the unpacking process ended with ${answer}` });
    }
    child.tasks++;
    child.bytes += answer.ok ? answer.value.bytes : 0;
    if (child.tasks >= mostTasks || child.bytes >= mostBytes) this.#end(child);
    else release(child.process);
    return answer;
  }

  #end(child: Child | undefined): void {
    child?.process.kill("SIGKILL");
    if (this.#child === child) this.#child = undefined;
  }

  #start(): Child {
    const { entrance, memoryLimitMiB } = this.#options;
    const flags = [
      `--max-old-space-size=${memoryLimitMiB}`,
      "--max-semi-space-size=2",
      "--disable-warning=ExperimentalWarning",
    ];
    const { NODE_COMPILE_CACHE } = process.env;
    const started = spawn(process.execPath, [...flags, entrance], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // Nothing of the environment, which may hold credentials.
      env: { UV_THREADPOOL_SIZE: threads, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) },
    });
    const child: Child = { process: started, errors: "", tasks: 0, bytes: 0 };
    if (started.stderr instanceof Socket) started.stderr.unref();
    started.stderr
      ?.setEncoding("utf8")
      .on("data", (text: string) => (child.errors = (child.errors + text).slice(-4096)));
    // Reported by the task that waits; without one, the next task starts another child.
    started.on("error", () => undefined);
    started.on("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }
}

function hold(process: ChildProcess): void {
  process.ref();
  process.channel?.ref();
}

/** An idle child must not keep this process alive. */
function release(process: ChildProcess): void {
  process.unref();
  process.channel?.unref();
}

function defaultEntrance(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./unpack-child.${extension}`, import.meta.url));
}
