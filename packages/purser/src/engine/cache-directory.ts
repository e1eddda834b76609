import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDirectory } from "@purser/kubernetes/system/make-directory";

export interface CacheDirectory {
  readonly path: string;
  /** Why a temporary directory is used instead of the wanted one. */
  readonly refused?: string;
  /** Removes the directory if it is a temporary one. */
  close(): Promise<void>;
}

/** Opens the wanted directory and creates it when missing; uses a temporary one when it cannot be created or written. */
export async function openCacheDirectory(wanted: string): Promise<CacheDirectory> {
  try {
    await makeDirectory(wanted);
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
