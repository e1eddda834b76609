import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Figure } from "../../../bench/figure.ts";
import { kubectlOf, processorMsOf, startCluster } from "../../../bench/built-purser.ts";

/** Ends when `kubectl get namespaces` has answered. */
async function namespacesAnswer(kubectl: string, kubeconfig: string): Promise<void> {
  const code = await new Promise<number | null>((done) =>
    spawn(kubectl, ["--kubeconfig", kubeconfig, "get", "namespaces"], { stdio: "ignore" }).on("close", done),
  );
  if (code !== 0) throw new Error(`kubectl get namespaces ended with ${code}`);
}

/** Process start to the Ready line, and to the answer of a kubectl that is called then: first start and later ones. */
export async function startFigures(scratch: string, repeats: number): Promise<readonly Figure[]> {
  const kubectl = kubectlOf(process.env);
  const cache = join(scratch, "cache");
  const measured = { first: [[], [], []], later: [[], [], []] } as Record<
    "first" | "later",
    [number[], number[], number[]]
  >;
  for (let run = -1; run < repeats; run++) {
    const data = join(scratch, `data-${run}`);
    for (const kind of ["first", "later"] as const) {
      const cluster = await startCluster(cache, ["--data", data]);
      const used = processorMsOf(cluster.pid);
      if (kubectl !== undefined) await namespacesAnswer(kubectl, cluster.kubeconfig);
      const answered = performance.now() - cluster.startedAt;
      await cluster.stop();
      // The first round fills the code cache and the catalog cache, as the first start on a machine does.
      if (run === -1) continue;
      measured[kind][0].push(cluster.readyMs);
      if (kubectl !== undefined) measured[kind][1].push(answered);
      if (used !== undefined) measured[kind][2].push(used);
    }
  }
  const { first, later } = measured;
  return [
    { name: "start to `Ready`, new data directory with the demo", unit: "ms", runs: first[0], goal: 1000 },
    { name: "start to `kubectl get ns` answered, the same", unit: "ms", runs: first[1], goal: 1000 },
    { name: "processor time until `Ready`, all threads", unit: "ms", runs: first[2] },
    { name: "start to `Ready`, data directory of a former start", unit: "ms", runs: later[0], goal: 1000 },
    { name: "start to `kubectl get ns` answered, the same", unit: "ms", runs: later[1], goal: 1000 },
    { name: "processor time until `Ready`, all threads", unit: "ms", runs: later[2] },
  ];
}
