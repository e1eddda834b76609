import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf, startCluster, type Cluster } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";
import { percentile } from "../../../bench/figure.ts";
import { buildServerAlone, startServerAlone } from "./alone.ts";
import { startRealControlPlane } from "./real-control-plane.ts";
import { targetFigures } from "./targets.ts";
import { runWorkload, type WorkloadTimes } from "./workload.ts";

interface Run {
  readonly times: WorkloadTimes;
  /** Right after the load, in MB. */
  readonly residentMB: number;
  /** After the process has idled for `restMs`; of ours only. */
  readonly restingMB?: number;
}

/** Longer than the embedded cluster waits before it returns memory. */
const restMs = 30_000;

/**
 * The embedded cluster as `purser up` starts it, on disk and with all its controllers, beside kube-apiserver and etcd
 * (which runs without fsync): the same requests to both, in turn, `repeats` times.
 */
export async function apiServerFigures(scratch: string, repeats: number): Promise<readonly Figure[]> {
  const file = await buildServerAlone(scratch);
  const ours: Run[] = [];
  const alone: Run[] = [];
  const real: Run[] = [];
  for (let run = 0; run < repeats; run++) {
    const embedded = await startCluster(join(scratch, "cache"), [
      "--demo",
      "none",
      "--data",
      join(scratch, `api-data-${run}`),
    ]);
    ours.push(await loaded(embedded));
    alone.push(await loaded(await startServerAlone(file, join(scratch, `alone-data-${run}`))));
    const peer = await startRealControlPlane(join(scratch, `real-${run}`), 27_443);
    if (peer === undefined) continue;
    real.push({ times: await runWorkload(peer.kubeconfig), residentMB: peer.residentMB() });
    await peer.stop();
  }
  const ms = (title: string, of: (run: Run) => number, ratio: number): readonly Figure[] => [
    { name: title, unit: "ms", runs: ours.map(of) },
    { name: `the same on kube-apiserver and etcd`, unit: "ms", runs: real.map(of) },
    {
      name: "of the time of kube-apiserver and etcd",
      unit: "%",
      runs: real.flatMap((peer, index) => {
        const own = ours[index];
        return own === undefined ? [] : [(100 * of(own)) / of(peer)];
      }),
      goal: ratio,
    },
  ];
  const fanOut = (run: Run): number => percentile(run.times.fanOutMs, 0.95);
  return [
    ...ms("1,000 creates of 1 KB, one after the other", ({ times }) => times.createsOneByOneMs, 50),
    ...ms("1,000 creates of 1 KB with 8 clients", ({ times }) => times.createsByEightMs, 50),
    ...ms("list of 10,000 ConfigMaps of 1 KB", ({ times }) => percentile(times.listMs, 0.5), 100),
    { name: "write to event at 100 watchers, 95th percentile", unit: "ms", runs: ours.map(fanOut), goal: 20 },
    { name: "the same on kube-apiserver and etcd", unit: "ms", runs: real.map(fanOut) },
    ...memory("API server alone: resident memory", alone),
    ...memory("whole local cluster (`purser up`): resident memory", ours),
    {
      name: "kube-apiserver and etcd together, right after all that",
      unit: "MB",
      runs: real.map(({ residentMB }) => residentMB),
    },
    ...(await targetFigures(scratch, file, repeats)),
  ];
}

async function loaded(cluster: Cluster): Promise<Run> {
  const times = await runWorkload(cluster.kubeconfig);
  const residentMB = memoryOf(cluster.pid)?.residentMB ?? Number.NaN;
  await sleep(restMs);
  const restingMB = memoryOf(cluster.pid)?.residentMB ?? Number.NaN;
  await cluster.stop();
  return { times, residentMB, restingMB };
}

function memory(name: string, runs: readonly Run[]): readonly Figure[] {
  return [
    {
      name: `${name} with 10,000 objects of 1 KB, right after load, lists and watches`,
      unit: "MB",
      runs: runs.map(({ residentMB }) => residentMB),
      goal: 120,
    },
    { name: "the same 30 s later", unit: "MB", runs: runs.flatMap(({ restingMB }) => restingMB ?? []), goal: 120 },
  ];
}
