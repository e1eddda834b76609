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

const fileIn = (dataDirectory: string): string => join(dataDirectory, "running.json");

export async function announceInstance(dataDirectory: string, instance: RunningInstance): Promise<void> {
  await writeFileAtomically(fileIn(dataDirectory), `${JSON.stringify(instance)}\n`);
}

/** Removes the record unless another process wrote it, because the directory may have been replaced. */
export async function withdrawInstance(dataDirectory: string): Promise<void> {
  if (runningInstance(dataDirectory)?.pid === process.pid) await rm(fileIn(dataDirectory), { force: true });
}

/** The running instance of a data directory; undefined when the record is missing or its process does not run. */
export function runningInstance(dataDirectory: string): RunningInstance | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(fileIn(dataDirectory), "utf8"));
    if (!isJsonObject(value)) return undefined;
    const { pid, url, kubeconfig } = value;
    if (typeof pid !== "number" || typeof url !== "string" || typeof kubeconfig !== "string") return undefined;
    process.kill(pid, 0);
    return { pid, url, kubeconfig };
  } catch {
    return undefined;
  }
}
