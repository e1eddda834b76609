import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeFileAtomically } from "@purser/kubernetes/system/atomic-file";
import { collectAfterStart, giveBackIdleMemory, keepHeapSmall } from "@purser/kubernetes/system/idle-memory";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { RunningApiServer } from "../start-api-server.ts";
import { describeStartProblem, startApiServer } from "../start-api-server.ts";
import type { CommandOptions } from "./arguments.ts";
import { commandOptions, usage } from "./arguments.ts";

const exitCodes = { stopped: 0, failed: 1, usage: 2 } as const;

export interface CommandWorld {
  /** Takes one write: one line, or several joined. */
  readonly out: (lines: string) => void;
  readonly err: (line: string) => void;
  /** Its abort stops the server. */
  readonly signal: AbortSignal;
}

/**
 * Runs `purser-apiserver` until the signal, or until it fails.
 * @returns the exit code, see {@link usage}
 */
export async function runCommand(args: readonly string[], world: CommandWorld): Promise<number> {
  const options = commandOptions(args);
  if (!options.ok) {
    world.err(`purser-apiserver: ${options.problem}\n  do    purser-apiserver --help`);
    return exitCodes.usage;
  }
  if (options.value === "help") {
    world.out(usage);
    return exitCodes.stopped;
  }
  return run(options.value, world);
}

async function run(options: CommandOptions, world: CommandWorld): Promise<number> {
  const { controllers, address, port, data } = options;
  const fail = (what: string, remedy: string): number => {
    world.err(`purser-apiserver: ${what}\n  do    ${remedy}`);
    return exitCodes.failed;
  };
  keepHeapSmall();
  const started = await startApiServer({
    controllers,
    address,
    port,
    ...(data === undefined ? {} : { data: { path: resolve(data), traces: ["kubeconfig"] } }),
    report: (text) => world.err(`warning: ${text}`),
    onDetached: (detached) =>
      world.err(
        detached === undefined
          ? "the files of the data directory are in place again: writes are accepted"
          : `every write is refused: ${detached.message}\n  do    ${detached.remedy}`,
      ),
  });
  if (!started.ok) {
    const { what, remedy } = describeStartProblem(started.problem);
    return fail(what, remedy);
  }
  const scratch = data === undefined ? await mkdtemp(join(tmpdir(), "purser-apiserver-")) : undefined;
  const file = resolve(options.kubeconfigFile ?? join(scratch ?? data ?? "", "kubeconfig"));
  try {
    try {
      await writeFileAtomically(file, started.value.kubeconfig);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return fail(`cannot write the kubeconfig "${file}": ${why}`, "--write-kubeconfig FILE writes it elsewhere");
    }
    await serve(started.value, file, world);
    const detached = started.value.detached();
    return detached === undefined
      ? exitCodes.stopped
      : fail(`writes were refused up to the end: ${detached.message}`, detached.remedy);
  } finally {
    await started.value.stop();
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  }
}

/** Until the signal. */
async function serve({ url, server }: RunningApiServer, file: string, { out, signal }: CommandWorld): Promise<void> {
  // One write: a reader that waits for the first line has all of them.
  out(
    `Ready  ${url}  context purser\nkubeconfig  ${file}\nNext:\n  export KUBECONFIG=${file}\n  kubectl get namespaces`,
  );
  collectAfterStart();
  await giveBackIdleMemory(systemClock, signal, () => server.forgetOld());
}
