// Runs one test file or suite in the scratch copy, in a process group of its own that ends with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import type { Judge } from "./test-order.ts";

export type Verdict = "passed" | "failed" | "timed out";

export interface Ran {
  readonly verdict: Verdict;
  readonly milliseconds: number;
}

/** The environment of all judges: modules that are compiled already, and data that lies beside the checkout. */
function environment(scratch: string, checkout: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _outer, ...inherited } = process.env;
  return {
    PURSER_TEST_DATA: resolve(checkout, "../shared/data"),
    ...inherited,
    NODE_COMPILE_CACHE: join(dirname(scratch), "compiled"),
  };
}

/** `limitMs` is wall time; afterwards the whole process group is killed, also what a judge left running. */
export async function runJudge(judge: Judge, scratch: string, checkout: string, limitMs: number): Promise<Ran> {
  const began = performance.now();
  const preloaded = `--import=${join(scratch, "checks/untracked-promises.ts")}`;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", preloaded, ...judge.args], {
    cwd: scratch,
    detached: true,
    stdio: "ignore",
    env: environment(scratch, checkout),
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, limitMs);
  // Before the listener that deletes the copy, into which the judge may write.
  process.prependOnceListener("exit", end);
  const [status] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  process.off("exit", end);
  end();
  return {
    verdict: isLate ? "timed out" : status === 0 ? "passed" : "failed",
    milliseconds: performance.now() - began,
  };
}

/** A loaded machine may be five times as slow as it was for the run without a mutant. */
export const limitFor = (unmutatedMs: number): number => 15_000 + 5 * unmutatedMs;

/** While it is not known how long the judge takes without a mutant, in milliseconds. */
export const firstLimit = 60_000;

/** For a run without a mutant, in milliseconds. */
export const unmutatedLimit = 600_000;
