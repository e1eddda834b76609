import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "@purser/kubernetes/json";
import { writeFileAtomically } from "@purser/kubernetes/system/atomic-file";

/** The record that a running `purser up` writes into its data directory. */
export interface RunningInstance {
  readonly pid: number;
  readonly url: string;
  readonly kubeconfig: string;
}

const fileIn = (dataFolder: string): string => join(dataFolder, "running.json");

export async function announceInstance(dataFolder: string, instance: RunningInstance): Promise<void> {
  await writeFileAtomically(fileIn(dataFolder), `${JSON.stringify(instance)}\n`);
}

/** Removes the record unless another process wrote it, because the directory may have been replaced. */
export async function withdrawInstance(dataFolder: string): Promise<void> {
  if (runningInstance(dataFolder)?.pid === process.pid) await rm(fileIn(dataFolder), { force: true });
}

/** The running instance of a data directory; undefined when the record is missing or its process does not run. */
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
