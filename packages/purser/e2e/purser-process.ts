import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { builtProduct } from "./built-product.ts";

/** After this time a process that does not end is killed; long enough for a busy machine. */
const endMs = 300_000;

export interface PurserProcess {
  readonly child: ChildProcess;
  /** All it printed so far. */
  output(): string;
  /** Sends the signal and gives the exit code; null when a signal ended it, also the one after five minutes. */
  stop(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<number | null>;
}

/**
 * Starts the built `purser`; `ready` resolves at its Ready line and rejects when it ends before.
 * @param flags of Node
 */
export function spawnPurser(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): PurserProcess & { readonly ready: Promise<void> } {
  const child = spawn(process.execPath, [...flags, builtProduct(), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = new Promise<number | null>((done) =>
    child.on("close", (code, signal) => {
      output += `[ended with ${signal ?? code}]\n`;
      done(code);
    }),
  );
  const ready = new Promise<void>((done, refuse) => {
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (/^Ready/m.test(output)) done();
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    void ended.then((code) => refuse(new Error(`purser ${args.join(" ")} ended with ${code}:\n${output}`)));
  });
  // The process may be ended before it is ready without anything awaiting `ready`.
  ready.catch(() => undefined);
  return {
    child,
    ready,
    output: () => output,
    stop(signal) {
      child.kill(signal);
      const waiting = new AbortController();
      const kill = (): void => {
        output += `[did not end within ${endMs / 1000} s of ${signal}]\n`;
        child.kill("SIGKILL");
      };
      systemClock.sleep(endMs, waiting.signal).then(kill, () => undefined);
      return ended.finally(() => waiting.abort());
    },
  };
}

/** Starts `purser` and resolves when it prints its Ready line. */
export async function startPurser(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<PurserProcess> {
  const started = spawnPurser(args, env);
  await started.ready;
  return started;
}

/** Runs `purser` to its end; a command that does not end within five minutes is killed, its exit code is null then. */
export async function purser(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [builtProduct(), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: endMs,
    killSignal: "SIGKILL",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((done) => child.on("close", (ended) => done(ended)));
  return { code, stdout, stderr };
}
