import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { product } from "../../../../bench/built-purser.ts";

export interface CountedProcess {
  /** How many requests of each kind it has sent since the last time it was asked. */
  requests(): Promise<Readonly<Record<string, number>>>;
  stop(): Promise<void>;
}

/** Starts the built `purser run` on a cluster and waits until it is ready. */
export async function startCounted(args: readonly string[], cache: string): Promise<CountedProcess> {
  const probe = `--import=${join(import.meta.dirname, "requests-probe.ts")}`;
  const child = spawn(process.execPath, [probe, join(product, "dist/purser.js"), "run", ...args], {
    env: { ...process.env, PURSER_CACHE_DIR: cache },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  const asking: ((requests: Record<string, number>) => void)[] = [];
  createInterface({ input: child.stderr }).on("line", (text) => {
    if (text.startsWith("requests "))
      asking.shift()?.(JSON.parse(text.slice("requests ".length)) as Record<string, number>);
    else log = `${log}${text}\n`.slice(-10_000);
  });
  await new Promise<void>((ready, refuse) => {
    createInterface({ input: child.stdout }).on("line", (text) => {
      if (text.startsWith("Ready")) ready();
    });
    void ended.then(() => refuse(new Error(`purser run ended:\n${log}`)));
  });
  return {
    requests: () =>
      new Promise((answered) => {
        asking.push(answered);
        child.kill("SIGUSR2");
      }),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
