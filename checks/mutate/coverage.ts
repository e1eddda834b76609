// Which judges execute which pieces of the sources, by one run of all of them under V8's coverage.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Mutant } from "./mutants.ts";

/** What one process of judges executed, with the processes that it started. */
export interface Executed {
  /** The test files that ran in it, or one suite. */
  readonly judges: readonly string[];
  /** True when a process that it started was killed, and so wrote nothing: it may have executed anything. */
  readonly isPartial: boolean;
  /** Executed pieces by path: start and end in UTF-16 units, in turn. */
  readonly pieces: Readonly<Record<string, readonly number[]>>;
}

/** Whether a judge can notice a mutant: what never executes it cannot. */
export type CanNotice = (judge: string, mutant: Mutant) => boolean;

/** What one process wrote: the report of V8, of which a source has one entry for each time it was loaded. */
export interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** A judge that is not known, or whose processes were killed, can notice everything. */
export function noticingOf(all: readonly Executed[]): CanNotice {
  const known = new Map<string, Executed[]>();
  for (const one of all) for (const judge of one.judges) known.set(judge, [...(known.get(judge) ?? []), one]);
  return (judge, { path, start, end }) => {
    const some = known.get(judge);
    return some === undefined || some.some((one) => one.isPartial || touches(one.pieces[path] ?? [], start, end));
  };
}

function touches(pieces: readonly number[], start: number, end: number): boolean {
  for (let at = 0; at < pieces.length; at += 2)
    if ((pieces[at] ?? 0) < Math.max(end, start + 1) && start < (pieces[at + 1] ?? 0)) return true;
  return false;
}

/**
 * Joins the reports of processes with those that they started. `started` has an entry for each process, with the one that
 * started it; one without a report was killed.
 */
export function executedBy(
  root: string,
  reports: ReadonlyMap<number, readonly Report[]>,
  started: ReadonlyMap<number, number>,
): readonly Executed[] {
  const prefix = `${pathToFileURL(root).href}/`;
  const pathOf = (url: string): string | undefined =>
    url.startsWith(prefix) ? url.slice(prefix.length).split("?")[0] : undefined;
  const judges = new Map<number, readonly string[]>();
  for (const [pid, own] of reports) {
    const paths = own.flatMap(({ result }) => result.flatMap(({ url }) => pathOf(url) ?? []));
    const tests = [...new Set(paths.filter((path) => path.endsWith(".test.ts")))];
    if (tests.length > 0) judges.set(pid, tests);
  }
  const judging = (pid: number | undefined): number | undefined =>
    pid === undefined || judges.has(pid) ? pid : judging(started.get(pid));
  const found = new Map<number, { pieces: Map<string, number[]>; isPartial: boolean }>();
  for (const pid of new Set([...reports.keys(), ...started.keys()])) {
    const owner = judging(pid);
    if (owner === undefined) continue;
    const entry = found.get(owner) ?? { pieces: new Map<string, number[]>(), isPartial: false };
    found.set(owner, entry);
    const own = reports.get(pid);
    entry.isPartial ||= own === undefined;
    for (const { url, functions } of (own ?? []).flatMap(({ result }) => result)) {
      const path = pathOf(url);
      if (path === undefined || !/^packages\/[^/]+\/src\//.test(path) || path.endsWith(".test.ts")) continue;
      entry.pieces.set(path, [...(entry.pieces.get(path) ?? []), ...piecesOf(functions)]);
    }
  }
  return [...found].map(([pid, { pieces, isPartial }]) => ({
    judges: judges.get(pid) ?? [],
    isPartial,
    pieces: Object.fromEntries(pieces),
  }));
}

/** Outer ranges come before those inside them, which say what differs. */
function piecesOf(functions: Report["result"][number]["functions"]): readonly number[] {
  const ranges = functions.flatMap((one) => one.ranges);
  const executed = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)));
  for (const { startOffset, endOffset, count } of ranges) executed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  const pieces: number[] = [];
  for (let at = 0; at < executed.length; at++) if (executed[at] !== (executed[at - 1] ?? 0)) pieces.push(at);
  return pieces.length % 2 === 0 ? pieces : [...pieces, executed.length];
}

/** A module that every process loads first: it notes which process started it. */
const noteParent = (directory: string): string => {
  const file = join(directory, "note-parent.mjs");
  writeFileSync(
    file,
    `import { writeFileSync } from "node:fs";\nimport { isMainThread } from "node:worker_threads";\nif (isMainThread) writeFileSync(${JSON.stringify(directory)} + "/started-" + process.pid + "-" + process.ppid, "");\n`,
  );
  return `--import=${pathToFileURL(file).href}`;
};

/** Runs node under coverage. @returns the reports, and which process started which */
async function runCovered(
  checkout: string,
  directory: string,
  args: readonly string[],
): Promise<readonly [ReadonlyMap<number, readonly Report[]>, ReadonlyMap<number, number>]> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { NODE_TEST_CONTEXT: _outer, NODE_OPTIONS: options = "", ...inherited } = process.env;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
    cwd: checkout,
    stdio: "ignore",
    env: {
      PURSER_TEST_DATA: resolve(checkout, "../shared/data"),
      ...inherited,
      NODE_OPTIONS: `${options} ${noteParent(directory)}`.trim(),
      NODE_V8_COVERAGE: directory,
      // Counts of code from a cache are not exact.
      NODE_DISABLE_COMPILE_CACHE: "1",
    },
  });
  await once(child, "close");
  const reports = new Map<number, Report[]>();
  const started = new Map<number, number>();
  for (const name of readdirSync(directory)) {
    const [, pid, parent] = /^(?:coverage|started)-(\d+)-(\d+)/.exec(name)?.map(Number) ?? [];
    if (pid === undefined || parent === undefined) continue;
    if (name.startsWith("started-")) started.set(pid, parent);
    else {
      const report = parsed(readFileSync(join(directory, name), "utf8"));
      // What was ended while it wrote counts as killed.
      if (report !== undefined) reports.set(pid, [...(reports.get(pid) ?? []), report]);
    }
  }
  rmSync(directory, { recursive: true, force: true });
  return [reports, started];
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}

/**
 * Runs all test files and suites once, or reads what such a run of the same version found.
 * @param file where it is kept
 */
export async function readCoverage(
  checkout: string,
  file: string,
  suites: Iterable<string>,
): Promise<readonly Executed[]> {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Executed[];
  const directory = `${file}.reports`;
  const all = [...executedBy(checkout, ...(await runCovered(checkout, directory, ["checks/run-tests.ts"])))];
  for (const suite of suites) {
    const [reports, started] = await runCovered(checkout, directory, ["packages/purser/conformance/main.ts", suite]);
    all.push(...executedByAll(checkout, `suite ${suite}`, reports, started));
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(all));
  return all;
}

/** As `executedBy`, with everything for one judge. */
const executedByAll = (
  root: string,
  judge: string,
  reports: ReadonlyMap<number, readonly Report[]>,
  started: ReadonlyMap<number, number>,
): readonly Executed[] => {
  const url = pathToFileURL(join(root, "suite.test.ts")).href;
  const named = new Map([...reports].map(([pid, own]) => [pid, [...own, { result: [{ url, functions: [] }] }]]));
  return executedBy(root, named, started).map((one) => ({ ...one, judges: [judge] }));
};
