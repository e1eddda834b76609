// Plants one mutant in a scratch copy and finds out what notices it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planted, type Mutant } from "./mutants.ts";
import type { Outcome, Record } from "./record.ts";
import { firstLimit, limitFor, type Ran, runJudge, unmutatedLimit } from "./run-judge.ts";
import type { Judge } from "./test-order.ts";

export interface Bench {
  readonly checkout: string;
  readonly scratch: string;
  readonly record: Record;
}

/**
 * Runs the judges in order until one notices the mutant. A judge that fails without the mutant is left out. What no judge
 * notices but the compiler refuses could never be committed, so it is no survivor.
 */
export async function judgeMutant(bench: Bench, mutant: Mutant, judges: readonly Judge[]): Promise<Outcome> {
  const file = join(bench.scratch, mutant.path);
  const text = readFileSync(file, "utf8");
  const { record } = bench;
  for (const judge of judges) {
    const known = record.unmutated(judge.name);
    if (known === "failed") continue;
    const run = async (limitMs: number): Promise<Ran> => {
      writeFileSync(file, planted(text, mutant));
      try {
        return await runJudge(judge, bench.scratch, bench.checkout, limitMs);
      } finally {
        writeFileSync(file, text);
      }
    };
    const limitMs = known === undefined ? firstLimit : limitFor(known);
    let { verdict, milliseconds } = await run(limitMs);
    if (verdict === "timed out") {
      const slower = await limitNow(bench, judge);
      if (slower > limitMs) ({ verdict, milliseconds } = await run(slower));
    }
    if (verdict === "passed") {
      // It took what it takes without a mutant: no run of its own is needed to know that.
      if (known === undefined) record.addUnmutated(judge.name, Math.round(milliseconds));
      continue;
    }
    if ((await unmutatedRun(bench, judge)) === "failed") continue;
    return { fate: verdict === "failed" ? "killed" : "timed out", by: judge.name };
  }
  writeFileSync(file, planted(text, mutant));
  try {
    if (await isRefusedByCompiler(bench.scratch)) return { fate: "refused by the compiler", by: "tsc" };
  } finally {
    writeFileSync(file, text);
  }
  return { fate: "survived", by: undefined };
}

/** Milliseconds without a mutant; measured once for each judge, a second time when the first run failed. */
async function unmutatedRun({ record, scratch, checkout }: Bench, judge: Judge): Promise<number | "failed"> {
  const known = record.unmutated(judge.name);
  if (known !== undefined) return known;
  let result: number | "failed" = "failed";
  for (let tried = 0; tried < 2 && result === "failed"; tried++) {
    const { verdict, milliseconds } = await runJudge(judge, scratch, checkout, unmutatedLimit);
    if (verdict === "passed") result = Math.round(milliseconds);
  }
  record.addUnmutated(judge.name, result);
  return result;
}

/** The limit that follows from a run without a mutant now: other programs may have slowed the machine since the first. */
async function limitNow({ scratch, checkout }: Bench, judge: Judge): Promise<number> {
  return limitFor((await runJudge(judge, scratch, checkout, unmutatedLimit)).milliseconds);
}

/** Types of the sources as they lie in the copy; what the former run found is kept beside it. */
export async function isRefusedByCompiler(scratch: string): Promise<boolean> {
  const compiler = join(scratch, "node_modules/typescript/bin/tsc");
  const kept = ["--incremental", "--tsBuildInfoFile", join(scratch, "../types.tsbuildinfo")];
  // What a mutant leaves without a use is no fault of types.
  const loose = ["--noUnusedLocals", "false", "--noUnusedParameters", "false"];
  const child = spawn(process.execPath, [compiler, "--noEmit", "-p", "tsconfig.json", ...kept, ...loose], {
    cwd: scratch,
    stdio: "ignore",
  });
  const [status] = (await once(child, "close")) as [number | null];
  return status !== 0;
}
