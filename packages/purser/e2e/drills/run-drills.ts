import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { writeOperators } from "../../bench/scale/operators.ts";
import type { ClusterTenancy } from "../cluster-tenancy.ts";
import { type PurserProcess, startPurser } from "../purser-process.ts";
import type { ClusterConnection } from "../surroundings.ts";
import type { Drill } from "./drill.ts";
import { expiredToken } from "./expired-token.ts";
import { hangingWebhook } from "./hanging-webhook.ts";
import { apiServerCommand, ownApiServer } from "./own-api-server.ts";
import { restartedApiServer } from "./restarted-api-server.ts";

export const drills: readonly Drill[] = [restartedApiServer, hangingWebhook, expiredToken];

export interface DrillPlace {
  readonly cluster: ClusterConnection;
  readonly kubeconfig: string;
  readonly tenancy: ClusterTenancy;
  readonly scratch: string;
}

/** Runs these drills one after another, each with a Purser of its own; returns how many failed. Skips them all, and says why, where no kube-apiserver of this machine can be started again. */
export async function runDrills(
  wanted: readonly Drill[],
  { cluster, kubeconfig, tenancy, scratch }: DrillPlace,
): Promise<number> {
  if (wanted.length === 0) return 0;
  const command = apiServerCommand(cluster.url);
  if (command === undefined) {
    console.log(`skipped ${wanted.length} drills: no kube-apiserver of this machine listens at ${cluster.url}`);
    return 0;
  }
  const { args, packages } = writeOperators(join(scratch, "drill-operators"), 8, 1);
  let failures = 0;
  for (const drill of wanted) {
    const began = systemClock.monotonic();
    const directory = mkdtempSync(join(scratch, "drill-"));
    const server = await ownApiServer(command, kubeconfig, directory);
    let purser: PurserProcess | undefined;
    const start = async (as: string): Promise<PurserProcess> => {
      const flags = ["--kubeconfig", as, "--install-crds", "--no-package-api", "--lease-duration", "3", ...args];
      return (purser = await startPurser(["run", ...flags], {
        PURSER_CACHE_DIR: join(directory, "cache"),
        PURSER_COMPAT: "",
      }));
    };
    let problem: string | undefined;
    try {
      const world = { client: cluster.client, server, command, directory, packages: packages.map(({ name }) => name) };
      await drill.run({ ...world, start });
    } catch (error) {
      failures++;
      problem = `${String(error)}\n${purser?.output().slice(-4000) ?? ""}`;
    }
    // What its Purser has finalizers on is deleted by one that has every right.
    await purser?.stop("SIGTERM");
    const cleaning = await start(kubeconfig);
    await tenancy.clear({ ...drill, run: () => Promise.resolve() });
    await tenancy.removeDefaultObjects();
    await cleaning.stop("SIGTERM");
    await server.kill();
    const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(1);
    console.log(`${problem === undefined ? "passed" : "FAILED"}  ${drill.name}  (${seconds} s)`);
    if (problem !== undefined) console.log(problem);
  }
  return failures;
}
