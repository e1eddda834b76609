import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { processorMsOf, product } from "../../../../bench/built-purser.ts";

export interface Memory {
  readonly heapMB: number;
  readonly rssMB: number;
}

export interface MeasuredProcess {
  readonly pid: number;
  readonly readyMs: number;
  readonly metricsUrl: string;
  /** After a forced collection. */
  memory(): Promise<Memory>;
  processorMs(): number;
  stop(): Promise<void>;
}

/** Starts the built `purser run` on a cluster; `line` gets every line of its log. */
export async function startMeasured(
  args: readonly string[],
  metricsPort: number,
  cache: string,
  line: (text: string) => void,
): Promise<MeasuredProcess> {
  const started = performance.now();
  const address = `127.0.0.1:${metricsPort}`;
  const program = [
    "--expose-gc",
    `--import=${join(import.meta.dirname, "heap-probe.ts")}`,
    join(product, "dist/purser.js"),
  ];
  const child = spawn(
    process.execPath,
    [...program, "run", "--metrics-address", address, "--debug-pages", "--catalog-address", "none", ...args],
    { env: { ...process.env, PURSER_CACHE_DIR: cache }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  const asking: ((memory: Memory) => void)[] = [];
  createInterface({ input: child.stderr }).on("line", (text) => {
    if (text.startsWith("memory ")) asking.shift()?.(JSON.parse(text.slice("memory ".length)) as Memory);
    else line(text);
  });
  const readyMs = await new Promise<number>((ready, refuse) => {
    createInterface({ input: child.stdout }).on("line", (text) => {
      if (text.startsWith("Ready")) ready(performance.now() - started);
    });
    void ended.then(() => refuse(new Error("purser run ended")));
  });
  return {
    pid: child.pid ?? 0,
    readyMs,
    metricsUrl: `http://${address}/metrics`,
    memory: () =>
      new Promise((answered) => {
        asking.push(answered);
        child.kill("SIGUSR2");
      }),
    processorMs: () => processorMsOf(child.pid ?? 0) ?? 0,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
