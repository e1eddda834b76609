import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "@purser/kubernetes/system/make-folder";

export interface CacheFolder {
  readonly path: string;
  /** Why the wanted folder is not used, when a temporary one stands in for it. */
  readonly refused?: string;
  /** Removes a temporary folder; a lasting one stays. */
  close(): Promise<void>;
}

/** The wanted folder, made when absent; one of the temporary folder's where it cannot be made or written. */
export async function openCacheFolder(wanted: string): Promise<CacheFolder> {
  try {
    await makeFolder(wanted);
    await access(wanted, constants.W_OK | constants.X_OK);
    return { path: wanted, close: () => Promise.resolve() };
  } catch (error) {
    const path = await mkdtemp(join(tmpdir(), "purser-cache-"));
    return {
      path,
      refused: error instanceof Error ? error.message : String(error),
      close: () => rm(path, { recursive: true, force: true }),
    };
  }
}
