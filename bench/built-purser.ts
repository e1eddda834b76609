import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const repository = resolve(import.meta.dirname, "..");
/** The package that is measured. */
export const product = join(repository, "packages/purser");
const launcher = join(product, "dist/purser.js");

export interface Cluster {
  readonly pid: number;
  readonly kubeconfig: string;
  /** When the process was started, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** From the start of the process to its Ready line. */
  readonly readyMs: number;
  /** Sends a line to a process that was started to listen; @returns what it prints after `answer ` */
  ask(message: string): Promise<string>;
  stop(): Promise<void>;
}

/** A directory that lasts until the process ends. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "purser-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function buildPackage(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(product, "build/bundle.ts")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the build failed: ${stderr}`);
  if (!existsSync(launcher)) throw new Error("the build made no dist/purser.js");
}

/** Starts the built `purser up` on a free port; `cache` keeps the catalog indexes. */
export function startCluster(cache: string, args: readonly string[]): Promise<Cluster> {
  return startProcess([launcher, "up", ...args], { PURSER_CACHE_DIR: cache });
}

/**
 * Starts a program for Node that prints `Ready` and `kubeconfig  FILE`.
 * @param listens it answers each line of its input with a line `answer ...`. A Node channel would not do: with one the
 * launcher does not begin the process again with its memory settings.
 */
export async function startProcess(args: readonly string[], env: NodeJS.ProcessEnv, listens = false): Promise<Cluster> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: [listens ? "pipe" : "ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let output = "";
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  const readyMs = await new Promise<number>((done, refuse) => {
    child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    let ready: number | undefined;
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (ready === undefined && /^Ready/m.test(output)) ready = performance.now() - startedAt;
      if (ready !== undefined && /^kubeconfig .*\n/m.test(output)) done(ready);
    });
    void ended.then(() => refuse(new Error(`${args.join(" ")} ended:\n${output}`)));
  });
  return {
    pid: child.pid ?? 0,
    kubeconfig: /^kubeconfig {2}(.*)$/m.exec(output)?.[1] ?? "",
    startedAt,
    readyMs,
    ask: (message) =>
      new Promise((answered) => {
        const before = output.length;
        const look = (): void => {
          const answer = /^answer (.*)\n/m.exec(output.slice(before))?.[1];
          if (answer === undefined) return;
          child.stdout?.off("data", look);
          answered(answer);
        };
        child.stdout?.on("data", look);
        child.stdin?.write(`${message}\n`);
      }),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Resident and highest resident memory in MB; undefined on systems other than Linux. */
export function memoryOf(pid: number): { readonly residentMB: number; readonly peakMB: number } | undefined {
  if (process.platform !== "linux") return undefined;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (field: string): number =>
    (Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024) / 1e6;
  return { residentMB: megabytes("VmRSS"), peakMB: megabytes("VmHWM") };
}

/** Processor time that the process has used, in ms; undefined where the system does not tell. */
export function processorMsOf(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  const [, rest = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  const fields = rest.split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

export function kubectlOf(env: NodeJS.ProcessEnv): string | undefined {
  return [env["KUBEBUILDER_ASSETS"] ?? "", ...(env["PATH"] ?? "").split(":")]
    .map((directory) => join(directory, "kubectl"))
    .find((file) => existsSync(file));
}
