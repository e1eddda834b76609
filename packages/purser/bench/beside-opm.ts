import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryOf, product } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";

interface Run {
  /** From the start of the process to the end of its output, which goes to a pipe that is read. */
  readonly ms: number;
  /** Of all threads, to ten milliseconds. */
  readonly processorMs: number;
  readonly peakMB: number;
}

/** What both programs do, and the share of opm's time that Purser may take. */
interface Task {
  readonly title: string;
  readonly args: readonly string[];
  readonly share: number;
}

const launcher = join(product, "dist/purser.js");
const mostMB = 110;
/** How often the highest memory of a process is read; the system keeps it until the process ends. */
const everyMs = 5;

/**
 * `purser opm` beside OLM's own `opm`, which has to be on the PATH: one after the other, so that both have the same other
 * work beside them. Processor times say more than elapsed ones where there is any. Linux only.
 */
export async function opmFigures(yaml: string, json: string, runs: number): Promise<readonly Figure[]> {
  const directory = (process.env["PATH"] ?? "").split(":").find((path) => existsSync(join(path, "opm")));
  if (directory === undefined || process.platform !== "linux") return [];
  const figures: Figure[] = [];
  for (const task of tasksOf(yaml, json)) {
    const own: Run[] = [];
    const upstream: Run[] = [];
    for (let run = 0; run < runs; run++) {
      own.push(await measured(process.execPath, [launcher, "opm", ...task.args]));
      upstream.push(await measured(join(directory, "opm"), task.args));
    }
    figures.push(...compared(task, own, upstream));
  }
  return figures;
}

function tasksOf(yaml: string, json: string): readonly Task[] {
  const render = (title: string, ...args: readonly string[]): Task => ({
    title: `\`opm render\` of v4.20, ${title}`,
    args: ["render", ...args],
    share: 0.5,
  });
  return [
    { title: "`opm validate` of v4.20 as YAML", args: ["validate", yaml], share: 0.2 },
    { title: "`opm validate` of v4.20 as JSON", args: ["validate", json], share: 0.5 },
    render("YAML to JSON", yaml),
    render("YAML to YAML", yaml, "-o", "yaml"),
    render("JSON to JSON", json),
    render("JSON to YAML", json, "-o", "yaml"),
  ];
}

function compared({ title, share }: Task, own: readonly Run[], upstream: readonly Run[]): readonly Figure[] {
  const ofUpstream = (field: "ms" | "processorMs"): readonly number[] =>
    own.map((run, index) => run[field] / (upstream[index]?.[field] ?? Number.NaN));
  return [
    { name: `${title}: processor time`, unit: "ms", runs: own.map(({ processorMs }) => processorMs) },
    { name: `${title}: of opm's processor time`, unit: "x", runs: ofUpstream("processorMs"), goal: share },
    { name: `${title}: of opm's elapsed time`, unit: "x", runs: ofUpstream("ms"), goal: share },
    { name: `${title}: highest resident memory`, unit: "MB", runs: own.map(({ peakMB }) => peakMB), goal: mostMB },
    { name: `${title}: opm's highest resident memory`, unit: "MB", runs: upstream.map(({ peakMB }) => peakMB) },
  ];
}

function measured(command: string, args: readonly string[]): Promise<Run> {
  const before = processorMsOfChildren();
  const started = performance.now();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.resume();
  let peakMB = 0;
  const timer = setInterval(() => {
    peakMB = Math.max(peakMB, peakOf(child.pid ?? 0));
  }, everyMs);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearInterval(timer);
      if (code !== 0) reject(new Error(`${command} ${args.join(" ")} ended with ${code}`));
      else resolve({ ms: performance.now() - started, processorMs: processorMsOfChildren() - before, peakMB });
    });
  });
}

/** 0 for a process that has ended. */
function peakOf(pid: number): number {
  try {
    const peak = memoryOf(pid)?.peakMB ?? 0;
    return Number.isNaN(peak) ? 0 : peak;
  } catch {
    return 0;
  }
}

/** Of all children of this process that have ended: the fields `cutime` and `cstime`, in ticks of ten milliseconds. */
function processorMsOfChildren(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
