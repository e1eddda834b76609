import { existsSync } from "node:fs";
import { join } from "node:path";
import { compareExactly } from "./compare.ts";
import type { ListedDifference } from "./differences.ts";
import type { Difference, GoldenCase, Suite, SuiteContext, SuiteData, SuiteSession } from "./suite.ts";

export interface Failure {
  readonly golden: GoldenCase;
  /** Absent when answering threw. */
  readonly difference?: Difference;
  readonly thrown?: string;
}

/** Each case counts once. */
export interface Tally {
  /** As OLM answers, by the rules of the whole suite. */
  readonly passed: number;
  /** Right only because the case is `loose`: compared as the other cases are, it would have failed. */
  readonly loose: number;
  /** Different, and explained by a row of `docs/differences.md`. */
  readonly listed: number;
  /** Needs data that is absent. */
  readonly skipped: number;
  readonly failures: readonly Failure[];
}

/** Catalogs and bundles below `directory`, which may be absent altogether. */
export function dataIn(directory: string): SuiteData {
  const find = (...candidates: readonly string[]): string | undefined => candidates.find((path) => existsSync(path));
  return {
    catalog: (name) => find(join(directory, "catalogs", name)),
    bundle: (path) => find(join(directory, "bundles", path), join(directory, "operators", path)),
  };
}

async function openSession(suite: Suite, context: SuiteContext): Promise<SuiteSession> {
  return "open" in suite ? suite.open(context) : { run: (golden) => suite.run(golden, context) };
}

function isListed(
  suite: Suite,
  golden: GoldenCase,
  value: Parameters<NonNullable<Suite["compare"]>>[1],
  listed: readonly ListedDifference[],
): boolean {
  return listed
    .filter((row) => row.suite === suite.name)
    .some(({ subject }) => {
      if (subject === golden.name) return true;
      const rule = /^rule: (.+)$/.exec(subject)?.[1];
      return rule !== undefined && suite.differences?.[rule]?.(golden, value) === true;
    });
}

/** Runs every case in file order; a case that throws fails and the next one runs. */
export async function runSuite(
  suite: Suite,
  cases: readonly GoldenCase[],
  context: SuiteContext,
  listed: readonly ListedDifference[],
): Promise<Tally> {
  const compare = suite.compare ?? compareExactly();
  const session = await openSession(suite, context);
  const failures: Failure[] = [];
  const tally = { passed: 0, loose: 0, listed: 0, skipped: 0 };
  try {
    for (const golden of cases) {
      try {
        if ((await session.define?.(golden)) === true) continue;
        const result = await session.run(golden);
        if (result.kind === "absent") {
          tally.skipped++;
          continue;
        }
        const difference = compare({ ...golden, loose: false }, result.value);
        if (difference === undefined) tally.passed++;
        else if (golden.loose && compare(golden, result.value) === undefined) tally.loose++;
        else if (isListed(suite, golden, result.value, listed)) tally.listed++;
        else failures.push({ golden, difference });
      } catch (error) {
        failures.push({ golden, thrown: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      }
    }
  } finally {
    await session.close?.();
  }
  return { ...tally, failures };
}
