import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "@purser/kubernetes/json";
import { writeFileAtomically } from "@purser/kubernetes/system/atomic-file";

/** What a running `purser up` says of itself in its data folder. */
export interface RunningInstance {
  readonly pid: number;
  readonly url: string;
  readonly kubeconfig: string;
}

const fileIn = (dataFolder: string): string => join(dataFolder, "running.json");

export async function announceInstance(dataFolder: string, instance: RunningInstance): Promise<void> {
  await writeFileAtomically(fileIn(dataFolder), `${JSON.stringify(instance)}\n`);
}

/** Leaves the entry of another process: the folder may have been replaced. */
export async function withdrawInstance(dataFolder: string): Promise<void> {
  if (runningInstance(dataFolder)?.pid === process.pid) await rm(fileIn(dataFolder), { force: true });
}

/** The instance that runs on the folder now; a file that a killed process left behind does not count. */
export function runningInstance(dataFolder: string): RunningInstance | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(fileIn(dataFolder), "utf8"));
    if (!isJsonObject(value)) return undefined;
    const { pid, url, kubeconfig } = value;
    if (typeof pid !== "number" || typeof url !== "string" || typeof kubeconfig !== "string") return undefined;
    process.kill(pid, 0);
    return { pid, url, kubeconfig };
  } catch {
    return undefined;
  }
}
