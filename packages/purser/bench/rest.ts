import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../../../bench/figure.ts";
import { memoryOf, processorMsOf, startCluster } from "../../../bench/built-purser.ts";

/** Memory 10 s after Ready and the highest until then; what the idle process takes of one processor in the 10 s after. */
export async function restFigures(
  cache: string,
  title: string,
  args: readonly string[],
  repeats: number,
): Promise<readonly Figure[]> {
  const resident: number[] = [];
  const peak: number[] = [];
  const processor: number[] = [];
  for (let run = 0; run < repeats; run++) {
    const cluster = await startCluster(cache, ["--ephemeral", ...args]);
    await sleep(10_000);
    const memory = memoryOf(cluster.pid);
    const before = processorMsOf(cluster.pid);
    await sleep(10_000);
    const after = processorMsOf(cluster.pid);
    await cluster.stop();
    if (memory === undefined || before === undefined || after === undefined) break;
    resident.push(memory.residentMB);
    peak.push(memory.peakMB);
    processor.push((after - before) / 100);
  }
  return [
    { name: `resident memory 10 s after \`Ready\`, ${title}`, unit: "MB", runs: resident, goal: 200 },
    { name: `highest resident memory until then, ${title}`, unit: "MB", runs: peak },
    { name: `processor time of the idle process, ${title}`, unit: "%", runs: processor },
  ];
}
