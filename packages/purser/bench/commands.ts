import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Figure } from "../../../bench/figure.ts";
import { product, startCluster } from "../../../bench/built-purser.ts";
import { writeSyntheticCatalog } from "./catalogs-synthetic.ts";

const program = join(product, "dist/purser.js");

/** Elapsed time of whole processes: the help, `list` of a cluster, and `search` over 10,000 bundles. */
export async function commandFigures(scratch: string, runs: number): Promise<readonly Figure[]> {
  const cache = join(scratch, "commands-cache");
  const catalog = join(scratch, "commands-catalog");
  writeSyntheticCatalog(catalog, 1000);
  const cluster = await startCluster(cache, ["--ephemeral"]);
  try {
    const env = { ...process.env, KUBECONFIG: cluster.kubeconfig, PURSER_CACHE_DIR: cache };
    const elapsedOf = (args: readonly string[], started = [program]): readonly number[] => {
      const elapsed: number[] = [];
      for (let run = -1; run < runs; run++) {
        const began = performance.now();
        const { status, stderr } = spawnSync(process.execPath, [...started, ...args], { env, encoding: "utf8" });
        if (status !== 0) throw new Error(`purser ${args.join(" ")} ended with ${status}: ${stderr}`);
        // The first run fills the code cache and builds the index.
        if (run >= 0) elapsed.push(performance.now() - began);
      }
      return elapsed;
    };
    return [
      { name: "`node -e 0`, to compare with", unit: "ms", runs: elapsedOf(["-e", "0"], []) },
      { name: "`purser --help`", unit: "ms", runs: elapsedOf(["--help"]), goal: 80 },
      { name: "`purser list -A`, 2 installations", unit: "ms", runs: elapsedOf(["list", "-A"]), goal: 150 },
      {
        name: "`purser search package-0500`, 10,000 bundles",
        unit: "ms",
        runs: elapsedOf(["search", "package-0500", "--catalog", `big=${catalog}`]),
        goal: 100,
      },
    ];
  } finally {
    await cluster.stop();
  }
}
