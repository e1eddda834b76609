import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a file, or a directory with what is in it, read-only directories included; nothing happens when it is absent. */
export async function removeTree(path: string): Promise<void> {
  await makeWritable(path);
  await rm(path, { recursive: true, force: true });
}

async function makeWritable(directory: string): Promise<void> {
  try {
    await chmod(directory, 0o700);
    for (const entry of await readdir(directory, { withFileTypes: true }))
      if (entry.isDirectory()) await makeWritable(join(directory, entry.name));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code)))) throw error;
  }
}
