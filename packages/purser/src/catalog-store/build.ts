import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { CatalogProblem } from "../catalog/problem.ts";
import { isJsonObject } from "@purser/kubernetes/json";
import { failed, type Result } from "@purser/kubernetes/result";
import type { CatalogForm, WrittenIndex } from "./write-index.ts";

export interface BuildRequest {
  /** Directory or file of the catalog. */
  readonly directory: string;
  /** What `directory` is; by default a file-based catalog. */
  readonly form?: CatalogForm;
  /** Directory of indexes; made when absent. */
  readonly into: string;
  readonly signal: AbortSignal;
  /** The builder's entrance; by default it lies beside this module, as source or bundled. */
  readonly builder?: string;
  /** Heap of the builder's process. */
  readonly memoryLimitMiB?: number;
}

/**
 * Builds the index of a catalog in a process of its own and returns where it lies. Problems of the catalog are
 * values; an aborted signal rejects with its reason.
 */
export async function buildIndex(request: BuildRequest): Promise<Result<WrittenIndex, readonly CatalogProblem[]>> {
  const { directory, form = "catalog", into, signal, builder = defaultBuilder(), memoryLimitMiB = 512 } = request;
  signal.throwIfAborted();
  const { output, errors, code } = await run(builder, [directory, into, form], memoryLimitMiB, signal);
  if (code === 0) return parseAnswer(output, directory);
  const outOfMemory = errors.includes("heap out of memory") || code === "SIGABRT" || code === "SIGKILL" || code === 134;
  const message = outOfMemory
    ? `the catalog needs more than ${memoryLimitMiB} MiB to be read`
    : `the index builder ended with ${code}: ${errors.trim().split("\n").slice(-5).join(" ").slice(0, 500)}`;
  return failed([{ rule: "unreadable", message, place: { file: directory } }]);
}

function defaultBuilder(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./index-builder.${extension}`, import.meta.url));
}

interface Ended {
  readonly output: string;
  readonly errors: string;
  readonly code: number | string;
}

function run(builder: string, args: readonly string[], memoryLimitMiB: number, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const flags = [
      `--max-old-space-size=${memoryLimitMiB}`,
      // More room for short-lived objects makes the process larger and no faster.
      "--max-semi-space-size=4",
      "--disable-warning=ExperimentalWarning",
    ];
    const child = spawn(process.execPath, [...flags, builder, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      signal,
      killSignal: "SIGKILL",
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
    child.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    child.on("close", (code, killed) => {
      if (signal.aborted) reject(signal.reason);
      else resolve({ output: text(output), errors: text(errors), code: code ?? killed ?? "no exit code" });
    });
  });
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}

function parseAnswer(output: string, directory: string): Result<WrittenIndex, readonly CatalogProblem[]> {
  try {
    const answer: unknown = JSON.parse(output);
    if (isJsonObject(answer) && typeof answer["ok"] === "boolean")
      return answer as unknown as Result<WrittenIndex, readonly CatalogProblem[]>;
  } catch {
    // Falls through: an answer that is no JSON is a broken builder.
  }
  return failed([{ rule: "unreadable", message: "the index builder gave no answer", place: { file: directory } }]);
}
