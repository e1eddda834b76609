// What is known of each mutant and of each judge without a mutant, one JSON line each, so that a run that was ended goes on.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Mutant } from "./mutants.ts";

export type Fate = "killed" | "timed out" | "survived" | "refused by the compiler";

export interface Outcome {
  readonly fate: Fate;
  /** The test file or suite that noticed the mutant; undefined for a survivor. */
  readonly by: string | undefined;
}

export interface Record {
  outcome(mutant: Mutant): Outcome | undefined;
  addOutcome(mutant: Mutant, outcome: Outcome): void;
  /** Milliseconds of the judge without a mutant; undefined while not known, `failed` when it fails without one. */
  unmutated(judge: string): number | "failed" | undefined;
  addUnmutated(judge: string, result: number | "failed"): void;
}

type Line =
  | { readonly mutant: string; readonly outcome: Outcome }
  | { readonly judge: string; readonly result: number | "failed" };

const idOf = ({ path, start, end, after }: Mutant): string => `${path} ${start} ${end} ${after}`;

/** Reads what an earlier run wrote to `file`; a line that was not finished is ignored. */
export function openRecord(file: string): Record {
  const outcomes = new Map<string, Outcome>();
  const unmutated = new Map<string, number | "failed">();
  for (const text of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
    const line = parsed(text);
    if (line === undefined) continue;
    if ("mutant" in line) outcomes.set(line.mutant, line.outcome);
    else unmutated.set(line.judge, line.result);
  }
  mkdirSync(dirname(file), { recursive: true });
  // What is appended must not continue a line that was not finished.
  appendFileSync(file, "\n");
  const write = (line: Line): void => appendFileSync(file, `${JSON.stringify(line)}\n`);
  return {
    outcome: (mutant) => outcomes.get(idOf(mutant)),
    addOutcome(mutant, outcome) {
      outcomes.set(idOf(mutant), outcome);
      write({ mutant: idOf(mutant), outcome });
    },
    unmutated: (judge) => unmutated.get(judge),
    addUnmutated(judge, result) {
      unmutated.set(judge, result);
      write({ judge, result });
    },
  };
}

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

/** What is checked out: the commit, and a digest of what is not committed. */
export function versionOf(checkout: string): string {
  const git = (...args: readonly string[]): string =>
    spawnSync("git", args, { cwd: checkout, encoding: "utf8", maxBuffer: 64 << 20 }).stdout;
  const changes = git("status", "--porcelain") + git("diff", "HEAD");
  const digest = createHash("sha256").update(changes).digest("hex").slice(0, 8);
  return git("rev-parse", "--short=12", "HEAD").trim() + (changes === "" ? "" : `-${digest}`);
}

/** Where the record of a version and a seed lies. */
export const recordFile = (checkout: string, version: string, seed: number): string =>
  join(checkout, "node_modules/.cache/mutate", `${version}-${seed}.jsonl`);

/** Where it lies which judges of a version execute what. */
export const coverageFile = (checkout: string, version: string): string =>
  join(checkout, "node_modules/.cache/mutate", `${version}-executed.json`);
