// node bench/resolution.ts: first resolution in a process, median of five, against the goals; exit code 1 when one is missed.
// Each case is measured over an index in memory and over a stored one, which it opens. Like the published package, the
// measured processes keep their compiled code, so a first run, which is not measured, fills that cache.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CatalogIndex } from "../src/catalog/catalog-index.ts";
import { loadCatalog } from "../src/catalog/loading/load.ts";
import { indexOf } from "../src/catalog/memory-index.ts";
import { openIndex } from "../src/catalog-store/open.ts";
import { writeIndex } from "../src/catalog-store/write-index.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import type { NamespaceInput } from "../src/resolver/v0/input.ts";
import { namespaceWorld } from "../src/resolver/v0/namespace-steps.ts";
import { solve } from "../src/resolver/solver/solve.ts";
import { stepsPerSlice, stepwise } from "../src/resolver/resolution.ts";
import { scratchDirectory } from "../../../bench/built-purser.ts";

interface Goal {
  readonly subscriptions: number;
  /** Packages of ten require each other's APIs in a chain, or nothing. */
  readonly chains: boolean;
  readonly milliseconds: number;
}

const goals: readonly Goal[] = [
  { subscriptions: 1, chains: true, milliseconds: 10 },
  { subscriptions: 50, chains: true, milliseconds: 200 },
  { subscriptions: 100, chains: true, milliseconds: 400 },
  { subscriptions: 100, chains: false, milliseconds: 50 },
];

const packages = 1000;
const versions = Array.from({ length: 10 }, (_, version) => version);
const nameOf = (index: number): string => `p${String(index).padStart(4, "0")}`;

/** 1,000 packages of ten versions. */
function* catalogBlobs(chains: boolean): Generator<JsonObject> {
  const api = (index: number): JsonObject => ({ group: "g.io", version: "v1", kind: `K${index}` });
  for (let index = 0; index < packages; index++) {
    const name = nameOf(index);
    const bundle = (version: number): string => `${name}.v1.${version}.0`;
    yield { schema: "olm.package", name, defaultChannel: "stable" };
    const entries = versions.map((version) => ({
      name: bundle(version),
      ...(version > 0 ? { replaces: bundle(version - 1) } : {}),
    }));
    yield { schema: "olm.channel", name: "stable", package: name, entries };
    const required = chains && index % 10 < 9 ? [{ type: "olm.gvk.required", value: api(index + 1) }] : [];
    for (const version of versions)
      yield {
        schema: "olm.bundle",
        name: bundle(version),
        package: name,
        image: `registry.example/${name}:${version}`,
        properties: [
          { type: "olm.package", value: { packageName: name, version: `1.${version}.0` } },
          { type: "olm.gvk", value: api(index) },
          ...required,
        ],
      };
  }
}

const catalogText = (chains: boolean): string =>
  Array.from(catalogBlobs(chains), (blob) => JSON.stringify(blob)).join("\n");

/** Writes the index of the generated catalog and returns its path. */
function storeCatalog(directory: string, chains: boolean): string {
  const source = join(directory, `catalog-${chains}`);
  mkdirSync(source);
  writeFileSync(join(source, "catalog.json"), catalogText(chains));
  const written = writeIndex(source, join(directory, "indexes"));
  if (!written.ok) throw new Error("the generated catalog is valid");
  return written.value.file;
}

function worldOf(subscriptions: number, index: CatalogIndex): NamespaceInput {
  return {
    namespace: "ns",
    globalNamespace: "olm",
    catalogs: [{ key: { namespace: "olm", name: "cat" }, priority: 0, content: { kind: "present", index } }],
    subscriptions: Array.from({ length: subscriptions }, (_, number) => ({
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { name: `s${number}`, namespace: "ns" },
      spec: { name: nameOf(number * 10), channel: "stable", source: "cat", sourceNamespace: "olm" },
    })),
    clusterServiceVersions: [],
    operatorGroups: [
      { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata: { name: "og", namespace: "ns" } },
    ],
  };
}

interface Timing {
  /** 0 over an index in memory. */
  readonly openMs: number;
  readonly variablesMs: number;
  readonly solveMs: number;
  /** Time of this thread on a processor for all of it: what remains of the above on a busy machine. */
  readonly cpuMs: number;
  /** The slice that took the most of it. */
  readonly worstSliceMs: number;
  /** The most memory that the process ever had, and how much of it came with the resolution. */
  readonly processMB: number;
  readonly memoryMB: number;
}

const totalOf = ({ openMs, variablesMs, solveMs }: Timing): number => openMs + variablesMs + solveMs;

/** Milliseconds of this thread on a processor since it started. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

interface Ran<Answer> {
  readonly answer: Answer;
  readonly ms: number;
  readonly worstSliceMs: number;
}

/** Runs as the controllers do, slice by slice. */
function run<Answer>(steps: Generator<undefined, Answer>): Ran<Answer> {
  const resolution = stepwise(steps);
  let worstSliceMs = 0;
  const started = performance.now();
  for (;;) {
    const before = cpuMs();
    const progress = resolution.run(stepsPerSlice);
    worstSliceMs = Math.max(worstSliceMs, cpuMs() - before);
    if (progress.kind === "done") return { answer: progress.answer, ms: performance.now() - started, worstSliceMs };
  }
}

/** @param file a stored index; without one the catalog is read into memory first, which is not measured */
function measure({ subscriptions, chains }: Goal, file: string | undefined): Timing {
  const inMemory =
    file === undefined ? indexOf(loadCatalog([{ file: "catalog.json", text: catalogText(chains) }]).blobs) : undefined;
  const memoryBefore = process.memoryUsage.rss();
  const cpuBefore = cpuMs();
  const started = performance.now();
  const opened = file === undefined ? undefined : openIndex(file);
  const index = opened?.ok === true ? opened.value : inMemory;
  if (index === undefined) throw new Error("the index cannot be opened");
  const openMs = performance.now() - started;
  const world = run(namespaceWorld(worldOf(subscriptions, index)));
  if (world.answer.kind === "error") throw new Error(world.answer.upstream);
  const solved = run(solve(world.answer.set));
  if (solved.answer.kind !== "satisfiable") throw new Error("the generated world has an answer");
  return {
    openMs: file === undefined ? 0 : openMs,
    variablesMs: world.ms,
    solveMs: solved.ms,
    cpuMs: cpuMs() - cpuBefore,
    worstSliceMs: Math.max(world.worstSliceMs, solved.worstSliceMs),
    processMB: process.resourceUsage().maxRSS / 1024,
    memoryMB: process.resourceUsage().maxRSS / 1024 - memoryBefore / 1024 / 1024,
  };
}

/** A process of its own: the first resolution in it counts, cold code included. */
function measureApart(directory: string, index: number, file: string | undefined): Timing {
  // A cache keeps the functions that its first process called.
  const cache = join(directory, `compiled-${index}-${file === undefined ? "memory" : "stored"}`);
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const args = [import.meta.filename, String(index), ...(file === undefined ? [] : [file])];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Timing;
}

const memoryGoalMB = 100;
/** No slice may hold up the event loop for longer. */
const sliceGoalMs = 10;

function report(directory: string, index: number, goal: Goal, file: string | undefined): boolean {
  const { subscriptions, chains, milliseconds } = goal;
  measureApart(directory, index, file);
  const runs = Array.from({ length: 5 }, () => measureApart(directory, index, file));
  const median = runs.toSorted((left, right) => totalOf(left) - totalOf(right))[2];
  if (median === undefined) throw new Error("five runs have a median");
  const { openMs, variablesMs, solveMs } = median;
  const worstSliceMs = runs.map((timing) => timing.worstSliceMs).toSorted((left, right) => left - right)[2] ?? 0;
  const missed = [
    ...(totalOf(median) > milliseconds ? [`more than ${milliseconds} ms`] : []),
    ...(worstSliceMs > sliceGoalMs ? [`slices of more than ${sliceGoalMs} ms`] : []),
    ...(median.memoryMB > memoryGoalMB ? [`more than ${memoryGoalMB} MB`] : []),
  ];
  const what = `${subscriptions} subscriptions, ${chains ? "chains of ten" : "no dependencies"}, ${file === undefined ? "in memory" : "stored"}`;
  const parts = `${file === undefined ? "" : `opening ${openMs.toFixed(1)}, `}variables ${variablesMs.toFixed(1)}, solving ${solveMs.toFixed(1)}`;
  const besides = `on a processor ${median.cpuMs.toFixed(1)} ms, worst slice ${worstSliceMs.toFixed(1)} ms, memory ${median.memoryMB.toFixed(0)} MB of the process's ${median.processMB.toFixed(0)} MB`;
  console.log(
    `${what}: ${totalOf(median).toFixed(1)} ms (${parts}; ${besides}), goal ${milliseconds} ms${missed.length === 0 ? "" : `  MISSED: ${missed.join(", ")}`}`,
  );
  return missed.length === 0;
}

const [, , only, storedFile] = process.argv;
if (only !== undefined) {
  const goal = goals[Number(only)];
  if (goal === undefined) throw new Error(`no case ${only}`);
  console.log(JSON.stringify(measure(goal, storedFile)));
} else {
  const directory = scratchDirectory();
  const stored = new Map([true, false].map((chains) => [chains, storeCatalog(directory, chains)]));
  let met = true;
  for (const [index, goal] of goals.entries())
    for (const file of [undefined, stored.get(goal.chains)]) met = report(directory, index, goal, file) && met;
  process.exitCode = met ? 0 : 1;
}
