// node bench/resolution.ts: first resolution in a process, median of five, against the goals; exit code 1 when one is missed.
import { spawnSync } from "node:child_process";
import { loadCatalog } from "../src/catalog/load.ts";
import { indexOf } from "../src/catalog/memory-index.ts";
import type { JsonObject } from "../src/json.ts";
import type { NamespaceInput } from "../src/resolver/v0/input.ts";
import { namespaceWorld } from "../src/resolver/v0/namespace-steps.ts";
import { solve } from "../src/resolver/solver/solve.ts";
import { stepsPerSlice, stepwise } from "../src/resolver/resolution.ts";

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

function worldOf({ subscriptions, chains }: Goal): NamespaceInput {
  const text = Array.from(catalogBlobs(chains), (blob) => JSON.stringify(blob)).join("\n");
  const index = indexOf(loadCatalog([{ file: "catalog.json", text }]).blobs);
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
  readonly variablesMs: number;
  readonly solveMs: number;
  /** Time of this thread on a processor for all of it: what remains of the above on a busy machine. */
  readonly cpuMs: number;
  /** The slice that took the most of it. */
  readonly worstSliceMs: number;
}

interface Ran<Answer> {
  readonly answer: Answer;
  readonly ms: number;
  readonly slices: readonly number[];
}

/** Runs as the controllers do, slice by slice. */
function run<Answer>(steps: Generator<undefined, Answer>): Ran<Answer> {
  const resolution = stepwise(steps);
  const slices: number[] = [];
  const started = performance.now();
  for (;;) {
    const before = process.threadCpuUsage();
    const progress = resolution.run(stepsPerSlice);
    const { user, system } = process.threadCpuUsage(before);
    slices.push((user + system) / 1000);
    if (progress.kind === "done") return { answer: progress.answer, ms: performance.now() - started, slices };
  }
}

function measure(goal: Goal): Timing {
  const input = worldOf(goal);
  const world = run(namespaceWorld(input));
  if (world.answer.kind === "error") throw new Error(world.answer.upstream);
  const solved = run(solve(world.answer.set));
  if (solved.answer.kind !== "satisfiable") throw new Error("the generated world has an answer");
  const slices = [...world.slices, ...solved.slices];
  return {
    variablesMs: world.ms,
    solveMs: solved.ms,
    cpuMs: slices.reduce((sum, slice) => sum + slice, 0),
    worstSliceMs: Math.max(...slices),
  };
}

/** A process of its own: the first resolution in it counts, cold code included. */
function measureApart(index: number): Timing {
  const { stdout } = spawnSync(process.execPath, [import.meta.filename, String(index)], { encoding: "utf8" });
  return JSON.parse(stdout) as Timing;
}

const [, , only] = process.argv;
if (only !== undefined) {
  const goal = goals[Number(only)];
  if (goal === undefined) throw new Error(`no case ${only}`);
  console.log(JSON.stringify(measure(goal)));
} else {
  let missed = 0;
  for (const [index, { subscriptions, chains, milliseconds }] of goals.entries()) {
    const runs = Array.from({ length: 5 }, () => measureApart(index)).toSorted(
      (left, right) => left.variablesMs + left.solveMs - (right.variablesMs + right.solveMs),
    );
    const { variablesMs = 0, solveMs = 0, cpuMs = 0, worstSliceMs = 0 } = runs[2] ?? {};
    const total = variablesMs + solveMs;
    if (total > milliseconds) missed++;
    console.log(
      `${subscriptions} subscriptions, ${chains ? "chains of ten" : "no dependencies"}: variables ${variablesMs.toFixed(1)} ms, solving ${solveMs.toFixed(1)} ms (on a processor ${cpuMs.toFixed(1)} ms, worst slice ${worstSliceMs.toFixed(1)} ms), goal ${milliseconds} ms${total > milliseconds ? "  MISSED" : ""}`,
    );
  }
  process.exitCode = missed === 0 ? 0 : 1;
}
